// Reads a line of JSON an item from standard input, in the forms of it, and prints what citation-js and
// structured-data-testing-tool read in them. Its argument is the folder of modules.
const path = require('path')
const dir = path.resolve(process.argv[2])
const load = name => require(path.join(dir, name))
const { plugins } = load('@citation-js/core')
load('@citation-js/plugin-bibtex')
load('@citation-js/plugin-ris')
load('@citation-js/plugin-csl')
const { structuredDataTest } = load('structured-data-testing-tool')
const lines = require('readline').createInterface({ input: process.stdin })

const parse = (text, type) => {
  const list = plugins.input.chain(text, { forceType: type })
  return list.map(i => ({ title: i.title, DOI: i.DOI || '', authors: (i.author || []).length, type: i.type }))
}

;(async () => {
  for await (const line of lines) {
    const forms = JSON.parse(line)
    const out = {
      bibtex: parse(forms.bibtex, '@bibtex/text'), ris: parse(forms.ris, '@ris/file'), csl: parse(forms.csl, '@csl/object')
    }
    const page = '<html><head><script type="application/ld+json">' + forms.schemaorg + '</script></head></html>'
    const tested = await structuredDataTest(page).catch(e => e.res || { failed: [{ error: String(e) }] })
    out.failed = tested.failed.map(f => JSON.stringify(f.error || f.test))
    out.schemas = tested.schemas || []
    console.log(JSON.stringify(out))
  }
})()
