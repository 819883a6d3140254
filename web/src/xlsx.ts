/** Tables as a workbook: a zip of a few XML files. Text is only ever text in it, so no cell can be a formula. */
import { legalXml, type Cell } from './export'

export interface Sheet {
  name: string
  columns: string[]
  rows: Cell[][]
}

/** What a cell and a sheet can hold. */
const [LONGEST, MOST_ROWS] = [32_767, 1_048_575]

const escaped = (text: string): string =>
  legalXml(text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text).replace(
    /[&<>"]/g,
    (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[mark]!,
  )

function cellXml(cell: Cell): string {
  if (cell === null || (typeof cell === 'number' && !Number.isFinite(cell))) return '<c/>'
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell)}</t></is></c>`
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

function sheetXml({ columns, rows }: Sheet): string {
  const lines = [columns, ...rows.slice(0, MOST_ROWS)].map((row) => `<row>${row.map(cellXml).join('')}</row>`)
  return `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData></worksheet>`
}

/** The files of a workbook, by their names. */
export function workbook(sheets: Sheet[]): [name: string, xml: string][] {
  const each = (xml: (sheet: Sheet, number: number) => string) =>
    sheets.map((sheet, i) => xml(sheet, i + 1)).join('')
  const title = (name: string) => escaped(name.replace(/[[\]:*?/\\']/g, ' ').slice(0, 31))
  return [
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${each((_, n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`)}</Types>`,
    ],
    [
      '_rels/.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each(({ name }, n) => `<sheet name="${title(name)}" sheetId="${n}" r:id="r${n}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${each((_, n) => `<Relationship Id="r${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}</Relationships>`,
    ],
    ...sheets.map((sheet, i): [string, string] => [`xl/worksheets/sheet${i + 1}.xml`, sheetXml(sheet)]),
  ]
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value
})

export function crc32(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = CRC[(sum ^ byte) & 255]! ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}

async function deflated(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return new Uint8Array(await new Response(packed).arrayBuffer())
}

/** Numbers of 2 and 4 bytes, the lowest byte first: [value, bytes] each. */
function numbers(...all: [value: number, bytes: 2 | 4][]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    all.flatMap(([value, bytes]) => [0, 8, 16, 24].slice(0, bytes).map((by) => (value >>> by) & 255)),
  )
}

/** Some files as a zip. */
export async function zipped(files: [name: string, text: string][]): Promise<Blob> {
  const utf8 = new TextEncoder()
  const [parts, index]: [BlobPart[], BlobPart[]] = [[], []]
  let [at, length] = [0, 0]
  for (const [name, text] of files) {
    const [title, bytes] = [utf8.encode(name), utf8.encode(text)]
    const packed = await deflated(bytes)
    // version, flags (names are UTF-8), deflate, 1980-01-01, then what both headers say of the file
    const facts = numbers([20, 2], [0x800, 2], [8, 2], [0, 2], [33, 2], [crc32(bytes), 4], [packed.length, 4], [bytes.length, 4], [title.length, 2], [0, 2]) // biome-ignore format: one header
    parts.push(numbers([0x04034b50, 4]), facts, title, packed)
    index.push(
      numbers([0x02014b50, 4], [20, 2]),
      facts,
      numbers([0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
      title,
    )
    at += 30 + title.length + packed.length
    length += 46 + title.length
  }
  const n = files.length
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [n, 2], [n, 2], [length, 4], [at, 4], [0, 2])
  return new Blob([...parts, ...index, end], { type: `${TYPE}.sheet` })
}
