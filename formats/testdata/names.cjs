// Reads a line of JSON an item from standard input, in the forms of it, and prints the names of its authors that
// citation-js reads in BibTeX, RIS and CSL-JSON: family name with its particle, given name, suffix; or the name in one
// piece. With a schema as its second argument it prints the errors that Ajv finds in CITATION.cff.
const fs = require('fs')
const path = require('path')
const dir = path.resolve(process.argv[2])
const load = name => require(path.join(dir, name))
const { plugins } = load('@citation-js/core')
load('@citation-js/plugin-bibtex')
load('@citation-js/plugin-ris')
load('@citation-js/plugin-csl')
const schema = process.argv[3] && JSON.parse(fs.readFileSync(process.argv[3], 'utf8'))
const check = schema && (() => {
  const ajv = new (load('ajv').default)({ strict: false })
  load('ajv-formats').default(ajv)
  return ajv.compile(schema)
})()
const lines = require('readline').createInterface({ input: process.stdin })

const names = (text, type) => plugins.input.chain(text, { forceType: type })[0].author.map(a => a.literal !== undefined
  ? [a.literal]
  : [[a['non-dropping-particle'], a['dropping-particle'], a.family].filter(Boolean).join(' '), a.given || '', a.suffix || ''])

lines.on('line', line => {
  const forms = JSON.parse(line)
  const out = { bibtex: names(forms.bibtex, '@bibtex/text'), ris: names(forms.ris, '@ris/file'), csl: names(forms.csl, '@csl/object'), cff: [] }
  if (check && !check(JSON.parse(forms.cffJSON))) out.cff = check.errors.map(e => e.instancePath + ' ' + e.message)
  console.log(JSON.stringify(out))
})
