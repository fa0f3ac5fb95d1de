/// The portal's own look, in one style sheet without a build step.
enum Stylesheet {
    static let css = """
        @font-face { font-family: Inter; font-weight: 400; src: url("inter-regular.otf"); font-display: swap; }
        @font-face { font-family: Inter; font-weight: 500; src: url("inter-medium.otf"); font-display: swap; }
        @font-face { font-family: Inter; font-weight: 600 700; src: url("inter-semibold.otf"); font-display: swap; }
        :root {
          --brand: #0f766e; --brand-strong: #0b5e57; --ink: #14211f; --soft: #5c6f6c; --line: #dfe7e5; --ground: #f3f6f5;
          --card: #fff; --well: #eef3f2; --good: #0f766e; --warn: #b45309; --bad: #b91c1c; --focus: #f59e0b;
        }
        *, *::before, *::after { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body { margin: 0; font: 400 15px/1.55 Inter, system-ui, sans-serif; color: var(--ink); background: var(--ground); }
        a { color: var(--brand); text-decoration: none; }
        a:hover { text-decoration: underline; }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
        h1 { font-size: 26px; font-weight: 600; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
        h2 { font-size: 17px; font-weight: 600; margin: 0 0 12px; }
        h3 { font-size: 14px; font-weight: 600; margin: 0 0 6px; }
        p { margin: 0 0 12px; }
        .soft { color: var(--soft); }
        .small { font-size: 13px; }
        .skip { position: absolute; left: -9999px; }
        .skip:focus { left: 8px; top: 8px; background: #fff; padding: 8px 12px; z-index: 10; }
        .top { background: #10302d; color: #e9f3f1; }
        .top .inner { max-width: 1240px; margin: 0 auto; padding: 0 24px; display: flex; align-items: center; gap: 24px; min-height: 58px; }
        .top a { color: inherit; }
        .logo { display: inline-flex; gap: 10px; align-items: center; font-weight: 600; font-size: 17px; }
        .logo:hover { text-decoration: none; }
        .top .who { margin-left: auto; display: flex; gap: 14px; align-items: center; font-size: 14px; }
        .top button.link { color: #e9f3f1; }
        .tabs { background: var(--card); border-bottom: 1px solid var(--line); }
        .tabs ul { max-width: 1240px; margin: 0 auto; padding: 0 24px; display: flex; gap: 4px; list-style: none; overflow-x: auto; }
        .tabs a { display: block; padding: 13px 12px 11px; color: var(--soft); border-bottom: 2px solid transparent; white-space: nowrap; font-weight: 500; }
        .tabs a:hover { color: var(--ink); text-decoration: none; }
        .tabs a[aria-current] { color: var(--brand); border-color: var(--brand); }
        main { max-width: 1240px; margin: 0 auto; padding: 26px 24px 64px; }
        .head { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: center; margin-bottom: 20px; }
        .head .actions { margin-left: auto; display: flex; gap: 8px; flex-wrap: wrap; }
        .crumbs { font-size: 13px; color: var(--soft); margin-bottom: 6px; }
        .card { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; margin-bottom: 20px; }
        .grid { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); margin-bottom: 20px; }
        .grid .card { margin: 0; }
        .two > .card { margin: 0; }
        .two { margin-bottom: 20px; display: grid; gap: 20px; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); }
        .figure { font-size: 30px; font-weight: 600; letter-spacing: -.02em; line-height: 1.2; font-variant-numeric: tabular-nums; }
        .figure.small-figure { font-size: 22px; }
        .label { color: var(--soft); font-size: 13px; font-weight: 500; }
        .table-wrap { overflow-x: auto; margin: 0 -20px -20px; border-top: 1px solid var(--line); border-radius: 0 0 12px 12px; }
        table { width: 100%; border-collapse: collapse; font-size: 14px; }
        th { text-align: left; font-weight: 500; color: var(--soft); font-size: 13px; background: var(--ground); white-space: nowrap; }
        th, td { padding: 10px 20px; border-bottom: 1px solid var(--line); vertical-align: top; }
        tr:last-child td { border-bottom: 0; }
        td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        td.url { overflow-wrap: anywhere; min-width: 240px; }
        td code { white-space: nowrap; }
        td form { margin: 0; }
        td.inset { padding-left: 42px; }
        tr.event td { background: #f8fbfa; }
        form { margin: 0; }
        .middle td { vertical-align: middle; }
        .badge { display: inline-block; padding: 2px 9px; border-radius: 99px; font-size: 12px; font-weight: 600; line-height: 1.5; background: var(--well); color: var(--soft); white-space: nowrap; }
        .badge.good { background: #d5f0ea; color: #0b5e57; }
        .badge.warn { background: #fdecc8; color: #854008; }
        .badge.bad { background: #fde0e0; color: #991b1b; }
        .badge.busy { background: #dbeafe; color: #1e40af; }
        .button, button.button { display: inline-block; border: 1px solid transparent; border-radius: 8px; background: var(--brand); color: #fff; font: 500 14px/1.4 Inter, system-ui, sans-serif; padding: 8px 15px; cursor: pointer; }
        .button:hover { background: var(--brand-strong); color: #fff; text-decoration: none; }
        .button.plain { background: var(--card); color: var(--ink); border-color: var(--line); }
        .button.plain:hover { background: var(--well); color: var(--ink); }
        .button.danger { background: #b91c1c; }
        .button.danger:hover { background: #991b1b; }
        .button.tiny { padding: 3px 10px; font-size: 13px; }
        button.link { background: none; border: 0; padding: 0; font: inherit; color: var(--brand); cursor: pointer; }
        button.link:hover { text-decoration: underline; }
        label { display: block; font-weight: 500; font-size: 14px; margin-bottom: 5px; }
        input[type=text], input[type=password], input[type=url], input[type=number], select, textarea { width: 100%; font: 400 15px/1.4 Inter, system-ui, sans-serif; color: var(--ink); background: var(--card); border: 1px solid #b9c7c4; border-radius: 8px; padding: 8px 11px; }
        textarea { min-height: 130px; font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px; }
        input:focus, select:focus, textarea:focus { outline: 3px solid #99e0d4; outline-offset: 0; border-color: var(--brand); }
        .field { margin-bottom: 16px; }
        .field .hint { color: var(--soft); font-size: 13px; margin: 5px 0 0; }
        .field.wrong input, .field.wrong textarea { border-color: var(--bad); }
        .field .error { color: var(--bad); font-size: 13px; margin: 5px 0 0; }
        .choice { display: flex; gap: 9px; align-items: baseline; font-weight: 400; }
        .fields { display: flex; gap: 16px; flex-wrap: wrap; }
        .fields > .field { flex: 1 1 200px; }
        fieldset { border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px 0; margin: 0 0 16px; min-width: 0; }
        legend { padding: 0 6px; margin-left: -6px; font-weight: 600; font-size: 14px; }
        .pair { display: grid; gap: 0 16px; grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr)); }
        .sentences { margin: 0 0 12px; padding-left: 20px; }
        .sentences li { margin-bottom: 4px; }
        .save { position: sticky; bottom: 0; z-index: 5; display: flex; gap: 14px; align-items: center; flex-wrap: wrap; background: var(--ground); padding: 12px 0; margin: -8px 0 12px; }
        .head.tight { margin-bottom: 8px; }
        .head.tight h2 { margin: 0; }
        .row { display: flex; gap: 8px; justify-content: flex-end; }
        .table-wrap.inner { margin-bottom: 0; border-radius: 0; }
        section.card[id] { scroll-margin-top: 12px; }
        .notice { border-radius: 10px; padding: 12px 16px; margin-bottom: 20px; background: #d5f0ea; color: #0b4f49; }
        .notice.bad { background: #fde0e0; color: #7f1d1d; }
        .notice.warn { background: #fdecc8; color: #713f12; }
        .empty { text-align: center; padding: 34px 20px; color: var(--soft); }
        .empty h2 { color: var(--ink); }
        .bar { height: 8px; background: var(--well); border-radius: 99px; overflow: hidden; min-width: 110px; }
        .bar i { display: block; height: 100%; background: var(--brand); border-radius: 99px; }
        .chart { position: relative; height: 250px; }
        .no-script .chart { display: none; }
        details summary { cursor: pointer; color: var(--soft); font-size: 13px; margin-top: 12px; }
        details .table-wrap { margin: 12px -20px 0; }
        details:last-child .table-wrap { margin-bottom: -20px; }
        ol { margin: 0; padding-left: 20px; }
        pre { background: #10211f; color: #d8ebe7; padding: 15px 17px; border-radius: 10px; overflow-x: auto; font: 13px/1.6 ui-monospace, "DejaVu Sans Mono", monospace; margin: 0 0 12px; }
        code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; overflow-wrap: anywhere; }
        .findings { margin: 5px 0 0; padding: 0 0 0 17px; color: var(--soft); font-size: 13px; }
        .segmented { display: inline-flex; max-width: 100%; overflow-x: auto; white-space: nowrap; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
        .segmented a { padding: 6px 13px; font-size: 13px; font-weight: 500; color: var(--soft); }
        .segmented a + a { border-left: 1px solid var(--line); }
        .segmented a[aria-current] { background: var(--brand); color: #fff; }
        .entrance { min-height: 100vh; display: grid; place-items: center; padding: 24px; background: linear-gradient(160deg, #10302d, #0f5a53); }
        .entrance .card { width: 100%; max-width: 390px; padding: 32px; margin: 0; border: 0; box-shadow: 0 22px 50px rgb(0 0 0 / 30%); }
        .entrance .logo { color: var(--ink); font-size: 20px; margin-bottom: 18px; }
        .entrance .button { width: 100%; padding: 10px; }
        @media (max-width: 640px) {
          .top .inner, .tabs ul { padding: 0 14px; }
          main { padding: 18px 14px 48px; }
          .card { padding: 16px; }
          .grid { grid-template-columns: 1fr 1fr; gap: 12px; }
          .table-wrap { margin: 0 -16px -16px; }
          th, td { padding: 9px 14px; }
          .figure { font-size: 24px; }
          h1 { font-size: 22px; }
          .top .who span { display: none; }
          .head .actions { margin-left: 0; max-width: 100%; }
        }
        """
}
