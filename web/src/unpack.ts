/** Bytes of the payload → what the page works with. */
import type { Column, Points } from './payload'

/** Undo base64 and gzip. */
export async function unpackBytes(packed: string): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === 'undefined')
    throw new Error(
      'This browser is too old to unpack the page: open it in a newer one (Chrome 80, Firefox 113, Safari 16.4 and later).',
    )
  const bytes = fromBase64(packed.trim())
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).arrayBuffer()
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const ready = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> } // in newer browsers
  if (ready.fromBase64) return ready.fromBase64(text)
  const letters = atob(text)
  const bytes = new Uint8Array(letters.length)
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i)
  return bytes
}

export async function unpackJson<T>(packed: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await unpackBytes(packed))) as T
}

const KINDS = { u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array }

/** Read the columns of the points; those that are not there are null. */
export function readPoints(buffer: ArrayBuffer, columns: Column[], n: number): Points {
  const found: Record<string, unknown> = { label: null, date: null, chunk: null, node: null, part: null }
  const by: unknown[] = []
  for (const { name, type, offset } of columns) {
    const values = new KINDS[type](buffer, offset, n)
    if (/^by\d+$/.test(name)) by[Number(name.slice(2))] = values
    else found[name] = values
  }
  found.by = by
  return found as unknown as Points
}

/** Numbers of documents, as the server sends them: 32 bits each, little-endian. */
export function readRows(bytes: ArrayBuffer): Uint32Array {
  const view = new DataView(bytes)
  return Uint32Array.from({ length: bytes.byteLength >> 2 }, (_, i) => view.getUint32(4 * i, true))
}
