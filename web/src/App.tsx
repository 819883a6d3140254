/** The frame: which view, and the way to the others. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks'
import { counted, plain } from './format'
import { go, hashOf, href, route, setParams } from './route'
import { failure, head, nameOf, opened } from './store'
import { About } from './views/About'
import { Basket, hasBasket } from './views/Basket'
import { By } from './views/By'
import { Choose } from './views/Choose'
import { Classes } from './views/Classes'
import { Compare } from './views/Compare'
import { DocumentView } from './views/Document'
import { EditsView, hasEdits } from './views/Edits'
import { MapView } from './views/Map'
import { Report } from './views/Report'
import { Search } from './views/Search'
import { TableSection } from './views/TableSection'
import { Time } from './views/Time'
import { TreeView } from './views/Tree'
import { TopicView } from './views/Topic'
import { Topics } from './views/Topics'
import { WordView } from './views/Word'
import { Cuts } from './ui/Cuts'
import { Steps } from './ui/Edit'
import { useKeys } from './ui/keys'
import { NarrowButton, Narrowed, NarrowPanel } from './ui/Narrow'
import { isDark, systemIsDark } from './ui/scheme'
import { Sorry, Wait } from './ui/small'

interface View {
  name: string
  title: string
  there(): boolean
  show(): JSX.Element
  tab: boolean
}

const always = () => true
const VIEWS: View[] = [
  { name: 'topics', title: 'Topics', there: always, show: () => <Topics />, tab: true },
  { name: 'topic', title: 'Topic', there: always, show: () => <TopicView />, tab: false },
  { name: 'time', title: 'Time', there: () => !!head.value?.spark, show: () => <Time />, tab: true },
  { name: 'map', title: 'Map', there: always, show: () => <MapView />, tab: true },
  { name: 'document', title: 'Document', there: always, show: () => <DocumentView />, tab: false },
  { name: 'word', title: 'Word', there: always, show: () => <WordView />, tab: false },
  { name: 'tree', title: 'Tree', there: () => !!head.value?.tree, show: () => <TreeView />, tab: true },
  { name: 'by', title: 'Columns', there: () => !!head.value?.by, show: () => <By />, tab: true },
  {
    name: 'classes',
    title: 'Classes',
    there: () => !!head.value?.classes,
    show: () => <Classes />,
    tab: true,
  },
  { name: 'choose', title: 'How many', there: () => !!head.value?.choice, show: () => <Choose />, tab: true },
  {
    name: 'compare',
    title: 'Compare',
    there: () => !!head.value?.compare,
    show: () => <Compare />,
    tab: true,
  },
  { name: 'search', title: 'Search', there: always, show: () => <Search />, tab: true },
  { name: 'basket', title: 'Basket', there: always, show: () => <Basket />, tab: false },
  { name: 'report', title: 'Report', there: always, show: () => <Report />, tab: false },
  { name: 'edits', title: 'Edits', there: hasEdits, show: () => <EditsView />, tab: true },
  { name: 'about', title: 'About', there: always, show: () => <About />, tab: true },
]

/** All views: those of this list, and one for each section without a view of its own. */
const views = (): View[] => [
  ...VIEWS,
  ...(head.value?.tables ?? []).map((section) => ({
    name: `section-${section.name}`,
    title: plain(section.title, 40),
    there: always,
    show: () => <TableSection of={section} />,
    tab: true,
  })),
]

export function App(): JSX.Element {
  const main = useRef<HTMLElement>(null)
  const { view, of } = route.value
  const place = `${view}/${of ?? ''}`
  const first = useRef(true)
  useEffect(() => {
    // a new view is read from its top, also by those who listen
    if (first.current) first.current = false
    else {
      main.current?.focus({ preventScroll: true })
      window.scrollTo(0, 0)
    }
  }, [place])
  const title = head.value ? titleOf(view, of) : 'Quire'
  useEffect(() => {
    document.title = title
  }, [title])
  if (failure.value)
    return (
      <main class="page">
        <Sorry>{failure.value}</Sorry>
      </main>
    )
  if (!head.value) return <Wait>Reading the run …</Wait>
  const shown = views().find((each) => each.name === view)
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place, but what follows # is the view, so it stays as it is */}
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          main.current?.focus()
        }}>
        Skip to the content
      </a>
      <Top view={view} />
      <main id="main" class={`page view-${shown?.name ?? 'none'}`} ref={main} tabIndex={-1}>
        <NarrowPanel />
        <Narrowed view={view} />
        {head.value.left && view === 'topics' && (
          <p class="left-out">
            {head.value.left.sentence} See everything with <code>{head.value.left.command}</code>.
          </p>
        )}
        {!shown && (
          <>
            <h1>No such view</h1>
            <Sorry>
              There is no such view: <a href={href('topics')}>see the topics</a>.
            </Sorry>
          </>
        )}
        {shown && !shown.there() && (
          <>
            <h1>{shown.title}</h1>
            <Sorry>
              This run has nothing to show here: <a href={href('topics')}>see the topics</a>.
            </Sorry>
          </>
        )}
        {shown?.there() && <Guard key={`${head.value.topics.length}/${place}`}>{shown.show()}</Guard>}
      </main>
    </>
  )
}

/** What the browser calls the page: in its tab, its history, its bookmarks. */
function titleOf(view: string, of: string | null): string {
  const run = plain(head.value!.title, 60) || 'Quire'
  const number = of !== null && /^\d+$/.test(of) ? Number(of) : -1
  const own =
    view === 'topics'
      ? ''
      : view === 'topic' && number < head.value!.topics.length
        ? nameOf(number)
        : view === 'document' && number === opened.value?.row
          ? opened.value.title
          : view === 'document' && number >= 0
            ? `Document ${number + 1}`
            : view === 'word' && of
              ? `“${of}”`
              : view === 'search' && route.value.params.q
                ? `${route.value.params.q} – Search`
                : (views().find((each) => each.name === view)?.title ?? '')
  return [plain(own, 80), run, 'Quire'].filter((part, i, all) => part && all.indexOf(part) === i).join(' – ')
}

/** A view that fails says so and leaves the rest of the page alone; another address may be shown again. */
function Guard({ children }: { children: ComponentChildren }): JSX.Element {
  const [error, reset] = useErrorBoundary()
  const address = hashOf(route.value)
  const failed = useRef(address)
  useEffect(() => {
    if (error && failed.current !== address) reset()
    failed.current = address
  }, [address])
  if (!error) return <div>{children}</div>
  const reason = plain(error instanceof Error ? error.message : String(error), 200)
  return (
    <>
      <h1>This cannot be shown</h1>
      <Sorry>
        Something in this address or in the run was not expected ({reason}):{' '}
        <a href={href('topics')}>see the topics</a>.
      </Sorry>
    </>
  )
}

function Top({ view }: { view: string }): JSX.Element {
  const { title, n } = head.value!
  return (
    <header class="top">
      <div class="brand">
        <a href={href('topics')} class="run-title">
          {plain(title, 60) || 'Quire'}
        </a>
        <span class="run-facts">
          {counted(n, 'document')} · <Cuts />
        </span>
      </div>
      <nav aria-label="Views">
        {views()
          .filter((each) => (each.tab || (each.name === 'basket' && hasBasket())) && each.there())
          .filter((each) => each.name !== 'search')
          .map((each) => (
            <a key={each.name} href={href(each.name)} aria-current={each.name === view ? 'page' : undefined}>
              {each.title}
            </a>
          ))}
      </nav>
      <div class="tools">
        <Steps />
        <NarrowButton />
        <QuickSearch asked={view === 'search' ? (route.value.params.q ?? '') : ''} />
        <button
          type="button"
          class="theme"
          aria-label="Light or dark"
          title="Light or dark"
          onClick={() =>
            setParams({ theme: !isDark() === systemIsDark() ? '' : isDark() ? 'light' : 'dark' })
          }>
          ◐
        </button>
      </div>
    </header>
  )
}

/** What is searched for stands in it, also when it was asked for by a link. */
function QuickSearch({ asked }: { asked: string }): JSX.Element {
  const [typed, setTyped] = useState(asked)
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(asked), [asked])
  useKeys({ '/': () => input.current?.select() })
  return (
    <form
      role="search"
      aria-label="Quick search"
      onSubmit={(event) => {
        event.preventDefault()
        go(href('search', null, { q: typed }))
      }}>
      <input
        ref={input}
        type="search"
        value={typed}
        placeholder="Search words and documents"
        aria-label="Search words and documents"
        aria-keyshortcuts="/"
        title="key /"
        maxLength={200}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  )
}
