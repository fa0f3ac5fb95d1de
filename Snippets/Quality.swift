import Larder

let larder = LarderClient(configuration: .init())

for await quality in larder.qualities() {
    let wait = quality.predictedDuration(forByteCount: 2_000_000) ?? .seconds(60)
    print(quality.status, wait < .seconds(3) ? "large pictures" : "small pictures")
}
