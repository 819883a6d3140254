/** Workbooks: a zip that others can read, in which text is never a formula. */
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { crc32, workbook, zipped } from '../src/xlsx'

const SHEET = {
  name: 'a/b',
  columns: ['id', '=x'],
  rows: [
    ['=1+1', 2.5],
    ['+cmd|/c', null],
    ['-2 & <b> "q"', NaN],
    ['@sum\u0000\ud800', 'x'.repeat(40_000)],
  ],
}

/** The files of a zip, as its own list names them. */
async function unzipped(blob: Blob): Promise<Record<string, string>> {
  const bytes = Buffer.from(await blob.arrayBuffer())
  const end = bytes.length - 22
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50)
  const found: Record<string, string> = {}
  let at = bytes.readUInt32LE(end + 16)
  for (let i = 0; i < bytes.readUInt16LE(end + 10); i++) {
    expect(bytes.readUInt32LE(at)).toBe(0x02014b50)
    const [sum, packed, size, name] = [
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
    ]
    const from = bytes.readUInt32LE(at + 42)
    expect(bytes.readUInt32LE(from)).toBe(0x04034b50)
    const data = inflateRawSync(bytes.subarray(from + 30 + name, from + 30 + name + packed))
    expect([data.length, crc32(data)]).toEqual([size, sum])
    found[bytes.toString('utf8', at + 46, at + 46 + name)] = data.toString('utf8')
    at += 46 + name
  }
  return found
}

describe('a workbook', () => {
  it('has all its parts, whole', async () => {
    const files = await unzipped(await zipped(workbook([SHEET, { ...SHEET, name: 'two' }])))
    expect(Object.keys(files).sort()).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/_rels/workbook.xml.rels',
      'xl/workbook.xml',
      'xl/worksheets/sheet1.xml',
      'xl/worksheets/sheet2.xml',
    ])
    expect(files['xl/workbook.xml']).toContain('<sheet name="a b" sheetId="1" r:id="r1"/>')
  })
  it('has text as text alone: no formula, no XML, nothing that no XML may hold', async () => {
    const sheet = (await unzipped(await zipped(workbook([SHEET]))))['xl/worksheets/sheet1.xml']!
    expect(sheet).not.toContain('<f')
    for (const text of ['=1+1', '+cmd|/c', '-2 &amp; &lt;b&gt; &quot;q&quot;', '=x', '@sum\ufffd\ufffd'])
      expect(sheet).toContain(`<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`)
    expect(sheet).toContain('<c><v>2.5</v></c>')
    expect(sheet.match(/<c\/>/g)).toHaveLength(2)
    expect(sheet).toContain(`${'x'.repeat(32_766)}…</t>`)
  })
  it('sums as everybody does', () => expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926))
})
