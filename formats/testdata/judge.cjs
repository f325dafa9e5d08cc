// Reads a line of JSON an item from standard input, in the forms of it, and prints what citation-js and
// structured-data-testing-tool read in them, and how citation-js cites its CSL-JSON. Its arguments are the folder of
// modules, and that of styles of citationstyles.org, if there is one: citation-js itself has three.
const fs = require('fs')
const path = require('path')
const dir = path.resolve(process.argv[2])
const load = name => require(path.join(dir, name))
const { Cite, plugins } = load('@citation-js/core')
load('@citation-js/plugin-bibtex')
load('@citation-js/plugin-ris')
load('@citation-js/plugin-csl')
const styles = { apa: 'apa', vancouver: 'vancouver', harvard: 'harvard1' }
const others = {
  chicago: 'chicago-author-date', ieee: 'ieee', mla: 'modern-language-association', ama: 'american-medical-association',
  acs: 'american-chemical-society', nature: 'nature', science: 'science', cell: 'cell', iso690: 'iso690-author-date-en'
}
if (process.argv[3]) {
  for (const [name, file] of Object.entries(others)) {
    styles[name] = 'read-' + name
    plugins.config.get('@csl').styles.add(styles[name], fs.readFileSync(path.join(process.argv[3], file + '.csl'), 'utf8'))
  }
}
const { structuredDataTest } = load('structured-data-testing-tool')
const lines = require('readline').createInterface({ input: process.stdin })

const parse = (text, type) => {
  const list = plugins.input.chain(text, { forceType: type })
  return list.map(i => ({ title: i.title, DOI: i.DOI || '', authors: (i.author || []).length, type: i.type }))
}

const cite = text => {
  const item = JSON.parse(text)
  delete item.abstract // which one of the styles prints
  const cite = new Cite(item)
  return Object.fromEntries(Object.entries(styles).map(([name, template]) =>
    [name, cite.format('bibliography', { format: 'html', template, lang: 'en-US' })]))
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
    if (forms.cited) out.cited = cite(forms.csl)
    console.log(JSON.stringify(out))
  }
})()
