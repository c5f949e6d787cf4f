/**
 * Serves the documentation of the API: `/openapi.json` and `/docs`. Neither needs a key. The page is plain HTML without scripts
 * and without requests to other hosts.
 */
import { Effect, type Layer } from "effect"
import { HttpMethod, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as OpenApiDocument from "./OpenApiDocument.ts"
import * as Reference from "./OpenApiReference.ts"
import * as ApiErrors from "../edge/ApiErrors.ts"

/** The two routes. The document is created on the first request. */
export const layer: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.use(
  Effect.fnUntraced(function*(router) {
    const document = yield* Effect.cached(Effect.sync(OpenApiDocument.make))
    const html = yield* Effect.cached(Effect.map(document, page))
    yield* router.add(
      "GET",
      "/openapi.json",
      Effect.gen(function*() {
        const { originalUrl } = yield* HttpServerRequest.HttpServerRequest
        const servers = [{ url: placeOf(originalUrl), description: "Where this document is served" }]
        return HttpServerResponse.text(JSON.stringify({ ...(yield* document), servers }), {
          contentType: "application/json"
        })
      })
    )
    yield* router.add(
      "GET",
      "/docs",
      Effect.map(html, (text) =>
        HttpServerResponse.html(text).pipe(
          HttpServerResponse.setHeader("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
        ))
    )
    const answer = ApiErrors.respond(ApiErrors.methodNotAllowed(["GET", "HEAD"]))
    for (const method of HttpMethod.all) {
      if (method === "GET" || method === "HEAD" || method === "TRACE") continue
      yield* router.add(method, "/openapi.json", answer)
      yield* router.add(method, "/docs", answer)
    }
  })
)

/** The base path of the API. */
const placeOf = (originalUrl: string): string =>
  originalUrl.replace(/^https?:\/\/[^/]*/i, "").replace(/\/openapi\.json.*$/s, "") || "/"

/** The document as a page. */
export const page = (document: OpenApiDocument.Document): string => {
  const groups = Reference.groups(document)
  const forms = Reference.forms(document)
  const names = new Set(forms.map(({ name }) => name))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(document.info.title)} ${escape(document.info.version)}</title>
<style>${style}</style>
</head>
<body>
<nav>
<a href="#top"><b>${escape(document.info.title)}</b></a>
${groups.map(navigation).join("\n")}
<h2>Types</h2>
${forms.map(({ name }) => `<a href="#${name}">${name}</a>`).join("\n")}
<h2>Document</h2>
<a href="openapi.json">openapi.json</a>
</nav>
<main id="top">
<h1>${escape(document.info.title)} <small>${escape(document.info.version)}</small></h1>
${prose(document.info.description)}
${groups.map((group) => section(group, names)).join("\n")}
<h2>Types</h2>
${forms.map(({ name, rows }) => `<section id="${name}"><h3>${name}</h3>${table(rows, names)}</section>`).join("\n")}
</main>
</body>
</html>`
}

const navigation = ({ endpoints, name }: Reference.Group): string =>
  `<h2>${escape(name)}</h2>\n${
    endpoints.map(({ id, summary }) => `<a href="#${escape(id)}">${escape(summary)}</a>`).join("\n")
  }`

const section = ({ description, endpoints, name }: Reference.Group, names: ReadonlySet<string>): string =>
  `<h2>${escape(name)}</h2>\n${prose(description)}\n${endpoints.map((one) => endpoint(one, names)).join("\n")}`

const endpoint = (one: Reference.Endpoint, names: ReadonlySet<string>): string =>
  `<section id="${escape(one.id)}">
<h3>${escape(one.summary)}</h3>
<p><code class="${one.method.toLowerCase()}">${one.method}</code> <code>${escape(one.path)}</code>${
    one.needsKey ? "" : " <small>needs no key</small>"
  }</p>
${prose(one.description)}
${one.parameters.length === 0 ? "" : `<h4>Parameters</h4>${table(one.parameters, names)}`}
${
    one.request === undefined
      ? ""
      : `<h4>Body: ${link(one.request.form, names)}${one.request.required ? "" : " (optional)"}</h4>${
        json(one.request.example)
      }`
  }
<h4>Responses</h4>
${one.answers.map((answer) => answered(answer, names)).join("\n")}
</section>`

const answered = ({ codes, description, example, form, status }: Reference.Answer, names: ReadonlySet<string>) =>
  codes.length > 0 || example === undefined
    ? `<div class="answer"><b>${status}</b> ${prose(description)}</div>`
    : `<details><summary><b>${status}</b> ${link(form ?? "", names)}</summary>${json(example)}</details>`

const table = (rows: ReadonlyArray<Reference.Row>, names: ReadonlySet<string>): string =>
  `<table><tr><th>Name</th><th>Type</th><th>Meaning</th></tr>${
    rows.map(({ description, example, name, required, type }) =>
      `<tr><td><code>${escape(name)}</code>${required ? "<small> required</small>" : ""}</td><td>${
        link(type, names)
      }</td><td>${inline(description)} <code class="example">${escape(JSON.stringify(example) ?? "")}</code></td></tr>`
    ).join("")
  }</table>`

/** A type as text, with links to named types. */
const link = (type: string, names: ReadonlySet<string>): string =>
  type.split(" ").map((word) => {
    const name = word.replace(/List$/, "")
    return names.has(name) ? `<a href="#${name}">${escape(word)}</a>` : escape(word)
  }).join(" ")

const json = (value: unknown): string => `<pre>${escape(JSON.stringify(value, null, 2) ?? "")}</pre>`

const prose = (markdown: string): string => markdown.split(/\n\n+/).map((text) => `<p>${inline(text)}</p>`).join("\n")

/** Converts code and bold, the only Markdown in the descriptions. */
const inline = (text: string): string =>
  escape(text).replace(/`([^`]+)`/g, "<code>$1</code>").replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>")

const escape = (text: string): string =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;")

const style = `
:root{color-scheme:light dark;--line:light-dark(#ddd,#444);--soft:light-dark(#f6f6f4,#222)}
body{margin:0;display:grid;grid-template-columns:15rem minmax(0,1fr);font:16px/1.5 system-ui,sans-serif}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem;box-sizing:border-box;border-right:1px solid var(--line);font-size:.9rem}
nav a{display:block;color:inherit;text-decoration:none;padding:.1rem 0}nav a:hover{text-decoration:underline}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.05em;margin:1.2rem 0 .2rem;border:0;padding:0}
main{max-width:60rem;padding:2rem 3rem 6rem}h1 small{font-weight:400;opacity:.6}
h2{margin-top:3rem;border-bottom:1px solid var(--line);padding-bottom:.3rem;text-transform:capitalize}
section{margin:2rem 0 3rem}code,pre{font:.85em/1.5 ui-monospace,monospace;background:var(--soft);border-radius:4px}
code{padding:.1em .3em;overflow-wrap:anywhere}pre{padding:1rem;overflow:auto}
.get{color:light-dark(#0a6,#4d9)}.post{color:light-dark(#05c,#6af)}.put{color:light-dark(#a60,#fb5)}.delete{color:light-dark(#c22,#f77)}
table{border-collapse:collapse;width:100%;font-size:.9rem}th{text-align:left}
td,th{border-bottom:1px solid var(--line);padding:.4rem .6rem .4rem 0;vertical-align:top}
td small{opacity:.6;display:block}.example{opacity:.7;display:block;margin-top:.2rem;width:fit-content}
.answer{display:flex;gap:.6rem}.answer p{margin:.2rem 0}details{margin:.3rem 0}summary{cursor:pointer}
@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}
@media print{nav{display:none}}`
