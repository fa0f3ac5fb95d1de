import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import okhttp3.Cache;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Hits of OkHttp's cache: for every line with a number, so many requests, answered with the nanoseconds they took. */
public final class OkHttpPeer {
    public static void main(String[] arguments) throws Exception {
        Cache cache = new Cache(new File(arguments[0]), 512L << 20);
        OkHttpClient client = new OkHttpClient.Builder().cache(cache).build();
        Request request = new Request.Builder().url(arguments[1]).build();
        int byteCount = Integer.parseInt(arguments[2]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = input.readLine()) != null) {
            int operations = Integer.parseInt(line);
            long start = System.nanoTime();
            for (int i = 0; i < operations; i++) {
                try (Response response = client.newCall(request).execute()) {
                    if (response.body().bytes().length != byteCount) throw new IllegalStateException("a wrong body");
                }
            }
            System.out.println(System.nanoTime() - start);
        }
        cache.close();
        client.connectionPool().evictAll();
        System.exit(0);
    }
}
