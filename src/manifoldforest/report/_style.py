"""The style of pages. Every selector begins with the class of a report: notebooks stay as they are.

In the dark, pictures are inverted and their hues turned back: white becomes the dark of the page,
and blue stays blue.
"""

from __future__ import annotations

STYLE = """
.mf-report {
  --mf-ink: #1c1f23; --mf-soft: #5a626b; --mf-line: #e3e6ea; --mf-paper: #ffffff;
  --mf-tint: #f6f7f9; --mf-accent: #0072b2;
  color: var(--mf-ink); background: var(--mf-paper); color-scheme: light dark;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  text-align: left;
}
.mf-report * { box-sizing: border-box; }
.mf-report dl, .mf-report dt, .mf-report dd { border: 0; background: none; }
.mf-report .mf-report-body { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.5rem 3rem; }
.mf-report .mf-report-title {
  margin: 0; font-size: 1.75rem; font-weight: 650; line-height: 1.25; letter-spacing: -0.01em;
  overflow-wrap: anywhere; color: inherit;
}
.mf-report .mf-report-summary { margin: 0.35rem 0 0; color: var(--mf-soft); font-size: 1.05rem; }
.mf-report .mf-report-highlights {
  display: flex; flex-wrap: wrap; gap: 1rem 2.75rem; margin: 1.75rem 0 0; padding: 0;
}
.mf-report .mf-report-highlight { display: flex; flex-direction: column-reverse; margin: 0; }
.mf-report .mf-report-highlight dt { color: var(--mf-soft); font-size: 0.875rem; font-weight: 400; }
.mf-report .mf-report-highlight dd {
  margin: 0; font-size: 1.6rem; font-weight: 600; line-height: 1.3;
  font-variant-numeric: tabular-nums;
}
.mf-report .mf-report-section { margin: 2.5rem 0 0; padding: 1.75rem 0 0;
  border-top: 1px solid var(--mf-line); }
.mf-report .mf-report-heading {
  margin: 0 0 0.9rem; font-size: 1.2rem; font-weight: 650; line-height: 1.3; color: inherit;
}
.mf-report .mf-report-facts {
  display: grid; grid-template-columns: minmax(8rem, max-content) minmax(0, 1fr);
  gap: 0.3rem 1.75rem; margin: 0; padding: 0;
}
.mf-report .mf-report-facts dt { color: var(--mf-soft); font-weight: 400; margin: 0; }
.mf-report .mf-report-facts dd {
  margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums;
}
.mf-report .mf-report-scroll { overflow-x: auto; margin: 1.1rem 0 0; }
.mf-report table.mf-report-table {
  border-collapse: collapse; border: 0; margin: 0; font-size: 0.9375rem; width: auto;
  font-variant-numeric: tabular-nums; color: inherit; background: none;
}
.mf-report table.mf-report-table caption {
  text-align: left; color: var(--mf-soft); padding: 0 0 0.4rem; font-size: 0.9375rem;
  caption-side: top; white-space: nowrap;
}
.mf-report table.mf-report-table th, .mf-report table.mf-report-table td {
  padding: 0.28rem 1.5rem 0.28rem 0; text-align: right; vertical-align: baseline; border: 0;
  border-bottom: 1px solid var(--mf-line); background: none; color: inherit; font-weight: 400;
  white-space: nowrap; max-width: none;
}
.mf-report table.mf-report-table th:first-child { text-align: left; }
.mf-report table.mf-report-table tbody th:first-child { white-space: normal; min-width: 10rem;
  max-width: 26rem; overflow-wrap: anywhere; }
.mf-report table.mf-report-table thead th { color: var(--mf-soft); font-size: 0.875rem; }
.mf-report table.mf-report-table tbody tr:last-child > * { border-bottom: 0; }
.mf-report table.mf-report-table td.mf-report-bar { text-align: left; width: 14rem;
  min-width: 6rem; padding-right: 0; }
.mf-report .mf-report-bar span {
  display: inline-block; height: 0.7rem; border-radius: 2px; background: var(--mf-accent);
  min-width: 1px; vertical-align: middle; print-color-adjust: exact;
  -webkit-print-color-adjust: exact;
}
.mf-report .mf-report-pictures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 21rem), 1fr));
  gap: 1.75rem 2.5rem; margin: 1.4rem 0 0; align-items: start;
}
.mf-report figure.mf-report-picture { margin: 0; min-width: 0; }
.mf-report figure.mf-report-wide { grid-column: 1 / -1; }
.mf-report figure.mf-report-picture .mf-report-scroll { margin: 0; }
.mf-report figure.mf-report-picture img {
  display: block; width: 100%; height: auto; margin: 0; background: none;
}
.mf-report figure.mf-report-wide img.mf-report-large { min-width: 44rem; }
.mf-report figure.mf-report-picture figcaption {
  color: var(--mf-soft); font-size: 0.9375rem; margin: 0.5rem 0 0; text-align: left;
}
.mf-report pre.mf-report-lines {
  overflow-x: auto; margin: 1.1rem 0 0; padding: 0; background: none; border: 0; color: inherit;
  font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre;
}
.mf-report .mf-report-note { margin: 0.9rem 0 0; color: var(--mf-soft); max-width: 44rem; }
.mf-report details.mf-report-details { margin: 1rem 0 0; }
.mf-report details.mf-report-details > summary { cursor: pointer; color: var(--mf-soft); }
.mf-report .mf-report-foot { margin: 3rem 0 0; color: var(--mf-soft); font-size: 0.875rem; }
@media (prefers-color-scheme: dark) {
  .mf-report {
    --mf-ink: #e6e6e6; --mf-soft: #a0a0a0; --mf-line: #333333; --mf-paper: #1a1a1a;
    --mf-tint: #222222; --mf-accent: #4aa3d8;
  }
  .mf-report img.mf-report-drawn { filter: invert(0.9) hue-rotate(180deg); }
  .mf-report figure.mf-report-picture img.mf-report-natural { background: #ffffff;
    border-radius: 4px; }
}
@media (max-width: 32rem) {
  .mf-report .mf-report-body { padding: 1.5rem 1rem 2rem; }
  .mf-report .mf-report-title { font-size: 1.4rem; }
  .mf-report .mf-report-facts { grid-template-columns: 1fr; gap: 0; }
  .mf-report .mf-report-facts dt { font-size: 0.875rem; }
  .mf-report .mf-report-facts dd { margin: 0 0 0.55rem; }
  .mf-report .mf-report-highlights { gap: 0.9rem 1.75rem; }
  .mf-report .mf-report-highlight dd { font-size: 1.35rem; }
}
@media print {
  .mf-report {
    --mf-ink: #000000; --mf-soft: #444444; --mf-line: #cccccc; --mf-paper: #ffffff;
    --mf-accent: #0072b2; font-size: 10.5pt; color-scheme: light;
  }
  .mf-report .mf-report-body { padding: 0; max-width: none; }
  .mf-report .mf-report-section { margin-top: 1.5rem; padding-top: 1rem; }
  .mf-report .mf-report-heading { break-after: avoid; }
  .mf-report figure.mf-report-picture, .mf-report table.mf-report-table tr { break-inside: avoid; }
  .mf-report img.mf-report-drawn { filter: none; }
  .mf-report figure.mf-report-wide img.mf-report-large { min-width: 0; }
  .mf-report .mf-report-scroll { overflow: visible; }
}
"""

# What a page adds, around the report.
PAGE_STYLE = """
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: #ffffff; }
@media (prefers-color-scheme: dark) { body { background: #1a1a1a; } }
@media print { body { background: #ffffff; } }
"""

# What a notebook adds: a frame, and less room.
NOTEBOOK_STYLE = """
.mf-report.mf-report-notebook { border: 1px solid var(--mf-line); border-radius: 6px;
  font-size: 15px; max-width: 62rem; }
.mf-report.mf-report-notebook .mf-report-body { padding: 0.5rem 1.25rem 1.5rem; }
.mf-report.mf-report-notebook > details > summary { cursor: pointer; padding: 0.6rem 1rem; }
.mf-report.mf-report-notebook > details > summary b { font-weight: 650; }
.mf-report.mf-report-notebook .mf-report-highlights { margin-top: 0.5rem; }
"""
