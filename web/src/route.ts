/** What the page shows is in its address, after the #: a view, what of, and parameters. Every state can be sent as a link. */
import { computed, signal } from '@preact/signals'

interface Route {
  view: string
  /** What of: the topic, the document, the word. */
  of: string | null
  params: Record<string, string>
}

/** Parameters that stay when another view is opened. */
const STICKY = /^((names|notes)\d*|focus|theme|cut|where|is|values|since|until|among|holds)$/

export function parseHash(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [view = '', ...rest] = path.split('/')
  return {
    view: view || 'topics',
    of: rest.length ? decoded(rest.join('/')) : null,
    params: Object.fromEntries(new URLSearchParams(query)),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function hashOf({ view, of, params }: Route): string {
  const given = Object.entries(params).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given).toString()
  return `#/${view}${of === null ? '' : `/${encodeURIComponent(of)}`}${query ? `?${query}` : ''}`
}

const hash = signal(typeof location === 'undefined' ? '' : location.hash)
export const route = computed(() => parseHash(hash.value))

if (typeof window !== 'undefined')
  window.addEventListener('hashchange', () => {
    clearTimeout(waiting)
    waiting = 0
    hash.value = location.hash
  })

/** The address of a view, as a link. */
export function href(
  view: string,
  of: string | number | null = null,
  params: Record<string, string | number> = {},
): string {
  const kept = Object.fromEntries(Object.entries(route.value.params).filter(([key]) => STICKY.test(key)))
  const given = Object.fromEntries(Object.entries(params).map(([key, value]) => [key, String(value)]))
  return hashOf({ view, of: of === null ? null : String(of), params: { ...kept, ...given } })
}

export function go(address: string): void {
  location.hash = address
}

/** Change parameters of this view in place; an empty value takes one away. */
export function setParams(changes: Record<string, string | number>): void {
  const { view, of, params } = route.value
  const given = Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, String(value)]))
  hash.value = hashOf({ view, of, params: { ...params, ...given } })
  if (Date.now() - written > PATIENCE) write()
  else waiting ||= window.setTimeout(write, PATIENCE)
}

// Browsers refuse an address that changes too often, as it does while a slider is moved: the page follows at once, the
// address bar a moment later, and before a link is followed in any case.
const PATIENCE = 300
let written = 0
let waiting = 0

function write(): void {
  clearTimeout(waiting)
  waiting = 0
  written = Date.now()
  history.replaceState(null, '', hash.value)
}

if (typeof window !== 'undefined') {
  for (const kind of ['click', 'keydown', 'submit', 'pagehide'])
    window.addEventListener(
      kind,
      () => {
        if (waiting) write()
      },
      true,
    )
}

export function param(name: string, otherwise = ''): string {
  return route.value.params[name] ?? otherwise
}
