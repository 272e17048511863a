#include "report/html.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/inline_svg.h"
#include "report/plot.h"
#include "report/plot_parts.h"
#include "report/table.h"

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1b1b1b;--dim:#595959;--line:#d0d0d0;"
    "--head:#f1f3f5;--link:#0059a6}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#16181c;--ink:#e6e6e6;--dim:#a8a8a8;"
    "--line:#3d4249;--head:#22262c;--link:#7ab8ff}}\n"
    "@media print{:root{--ground:#fff;--ink:#000;--dim:#444;--line:#bbb;--head:#eee;"
    "color-scheme:light}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:75rem;padding:1.5rem 1.25rem 3rem;background:var(--ground);"
    "color:var(--ink);font:1rem/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\","
    "sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}\n"
    "h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;"
    "border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.4rem 0 .5rem}\n"
    "p{margin:.5rem 0;max-width:60rem}\n"
    ".dim,.wide+p,.wide+p+p{color:var(--dim);font-size:.9rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}\n"
    "dt{color:var(--dim)}dd{margin:0;grid-column:2}\n"
    "ul{padding-left:1.2rem;max-width:60rem}li{margin:.3rem 0}\n"
    "pre,.wide,.figure{overflow-x:auto;max-width:100%}\n"
    "pre{font-size:.85rem;line-height:1.35;overflow-wrap:normal}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem;"
    "overflow-wrap:normal}\n"
    "th,td{padding:.3rem .7rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line);unicode-bidi:isolate}\n"
    "th{background:var(--head);font-weight:600;vertical-align:bottom}\n"
    "th.n,td.n{text-align:right}td.n{white-space:nowrap}\n"
    "th:first-child:not(.n),td:first-child:not(.n){min-width:9rem}\n"
    ".summary td,.facts td{overflow-wrap:anywhere}"
    ".summary td:first-child{font-weight:600;overflow-wrap:normal;min-width:min(15rem,32vw)}\n"
    ".summary td:nth-child(2){min-width:14rem}\n"
    ".nights td:first-child{white-space:nowrap}\n"
    "details{margin:.8rem 0}summary{cursor:pointer;color:var(--link)}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));"
    "gap:1.2rem}\n"
    ".figure{margin:0;break-inside:avoid}.figure.all{grid-column:1/-1}\n"
    ".plot{display:block;width:100%;min-width:33rem;height:auto}.all .plot{max-width:60rem}\n"
    "@page{margin:15mm}\n"
    "@media print{html{font-size:9.5pt}body{max-width:none;padding:0}h2,h3{break-after:avoid}"
    "tr,li{break-inside:avoid}.wide,pre,.figure{overflow:visible}table{font-size:8pt}"
    "th,td{padding:.15rem .35rem}td.n{white-space:normal}.figures{display:block}"
    ".plot{min-width:0;max-width:17cm}pre{font-size:6.2pt;white-space:pre-wrap}"
    "th:first-child:not(.n),td:first-child:not(.n),.summary td:nth-child(2){min-width:0}}\n";

/* Gnuplot's black is the page's ink, its grid the page's lines, its ground the page's; on a dark
 * ground each colour of the palette is the lighter one. Style rules go before the attributes that
 * gnuplot writes. */
static void plot_style(struct buf *out)
{
    buf_adds(out, ".plot{color:var(--ink)}.plot text{font-family:inherit}"
                  ".plot [fill=\"#ffffff\"]{fill:none}"
                  ".plot [color=black],.plot [color=gray]{color:inherit}"
                  ".plot [stroke=black]{stroke:currentColor}.plot [fill=black]{fill:currentColor}"
                  ".plot .gridline{stroke:var(--line)}\n");
    buf_adds(out, "@media screen and (prefers-color-scheme:dark){"); /* paper is light */
    for (size_t i = 0; i < PLOT_COLOURS; i++) {
        static const char *const names[] = {"stroke", "fill", "color"};
        unsigned c = plot_colours[i].light, dark = plot_colours[i].dark;
        for (size_t k = 0; k < 3; k++) {
            buf_addf(out, ".plot [%s=\"rgb(%3u, %3u, %3u)\"]{%s:#%06x}", names[k], c >> 16,
                     c >> 8 & 255, c & 255, names[k], dark);
        }
    }
    buf_adds(out, "}\n");
}

void html_begin(struct buf *out, const char *title)
{
    buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  /* a second lock: even markup that got through could load and run nothing */
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\">\n"
                  "<title>");
    put_html(out, title);
    buf_addf(out, "</title>\n<style>\n%s", style);
    plot_style(out);
    buf_adds(out, "</style>\n</head>\n<body>\n<h1>");
    put_html(out, title);
    buf_adds(out, "</h1>\n");
}

void html_end(struct page *page)
{
    page_gap(page);
    buf_adds(page->out, "</body>\n</html>\n");
}

void html_section(struct page *page, const char *id, const char *title)
{
    page_gap(page);
    buf_addf(page->out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

/* ---- drawings -------------------------------------------------------------------------------- */

void html_figures_begin(struct html_figures *f, struct page *page)
{
    *f = (struct html_figures){.page = page, .script = BUF_INIT(BUF_TEXT_MAX)};
}

void html_draw(struct html_figures *f, bool any, const char *title)
{
    struct err err = ERR_INIT;
    struct buf svg = BUF_INIT(PLOT_SVG_MAX);
    if (any && !f->missing) {
        if (plot_run(buf_text(&f->script), f->script.len, &svg, &err) == 0) {
            page_gap(f->page);
            buf_adds(f->page->out, f->drawn == 0 ? "<div class=\"figures\">\n" : "");
            buf_addf(f->page->out, "<figure class=\"figure%s\">\n", f->wide ? " all" : "");
            inline_svg(f->page->out, buf_text(&svg), ++f->drawn, title);
            buf_adds(f->page->out, "</figure>\n");
        } else {
            f->failed++;
            f->missing = strcmp(err.text, PLOT_NOT_INSTALLED) == 0;
            f->trouble = f->trouble != NULL ? f->trouble : mem_strdup(err.text);
        }
    }
    buf_free(&svg);
    buf_clear(&f->script);
}

void html_figures_end(struct html_figures *f)
{
    page_gap(f->page);
    buf_adds(f->page->out, f->drawn > 0 ? "</div>\n" : "");
    if (f->missing) {
        page_line(f->page,
                  "There are no drawings: %s. The tables above hold every figure; with gnuplot in "
                  "place the page can be made again from the saved results.",
                  f->trouble);
    } else if (f->failed > 0) {
        page_line(f->page, "%zu drawings are missing: %s", f->failed, f->trouble);
    } else if (f->drawn == 0) {
        page_line(f->page, "There is nothing to draw.");
    }
    free(f->trouble);
    buf_free(&f->script);
}
