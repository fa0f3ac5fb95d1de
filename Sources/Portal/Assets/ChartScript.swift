/// Draws the charts of a page from the data that stands beside each canvas; without it the tables tell the same.
enum ChartScript {
    static let javaScript = """
        "use strict";
        document.documentElement.classList.remove("no-script");
        addEventListener("DOMContentLoaded", () => {
          if (typeof Chart === "undefined") { document.documentElement.classList.add("no-script"); return; }
          Chart.defaults.font.family = "Inter, system-ui, sans-serif";
          Chart.defaults.color = "#5c6f6c";
          Chart.defaults.animation = false;
          Chart.defaults.maintainAspectRatio = false;
          for (const canvas of document.querySelectorAll("canvas[data-chart]")) {
            const data = JSON.parse(document.getElementById(canvas.dataset.chart).textContent);
            const isStacked = data.kind === "stacked";
            const isRound = data.kind === "doughnut";
            new Chart(canvas, {
              type: isRound ? "doughnut" : isStacked ? "bar" : "line",
              data: { labels: data.labels, datasets: data.series.map((series) => ({
                label: series.name, data: series.values, backgroundColor: series.colors ?? series.color,
                borderColor: isRound ? "#fff" : series.color, borderWidth: isRound ? 2 : isStacked ? 0 : 2,
                pointRadius: 2, tension: 0.25, spanGaps: true, maxBarThickness: 34, borderRadius: isStacked ? 2 : 0 })) },
              options: {
                interaction: { mode: "index", intersect: false },
                cutout: "64%",
                plugins: { legend: { position: isRound ? "right" : "bottom", labels: { boxWidth: 10, boxHeight: 10, usePointStyle: true } } },
                scales: isRound ? {} : {
                  x: { stacked: isStacked, grid: { display: false }, ticks: { maxRotation: 0, autoSkip: true, autoSkipPadding: 14, maxTicksLimit: 8 } },
                  y: { stacked: isStacked, beginAtZero: true, border: { display: false }, title: { display: !!data.unit, text: data.unit },
                    ticks: { maxTicksLimit: 6, precision: 0 } } } } });
            canvas.dataset.drawn = "true";
          }
        });
        """
}
