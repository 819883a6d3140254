/** The numbers of topics that the same documents can be seen in: a step to another is a link. */
import type { JSX } from 'preact'
import { heirOf } from '../cuts'
import { count, counted } from '../format'
import { go, href, route } from '../route'
import { cuts, head, ownCut, points, sourceAt } from '../store'
import './Cuts.css'

/** How many topics there are; where the run knows other good numbers, the way to them. */
export function Cuts(): JSX.Element {
  const shown = head.value!.topics.length
  if (cuts.value.length < 2) return <>{counted(shown, 'topic')}</>
  return (
    <nav class="cuts" aria-label="Number of topics">
      {cuts.value.map((cut) => (
        <a
          key={cut}
          href={addressAt(cut)}
          aria-label={counted(cut, 'topic')}
          aria-current={cut === shown ? 'true' : undefined}
          title={cut === shown ? undefined : `See the same documents in ${counted(cut, 'topic')}`}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey || topicShown() < 0) return
            event.preventDefault()
            void follow(topicShown(), cut)
          }}>
          {count(cut)}
        </a>
      ))}
      <span>topics</span>
    </nav>
  )
}

/** The same view at another cut. Topics have other numbers there, so what names one is left behind. */
function addressAt(cut: number): string {
  const { view, of, params } = route.value
  const at = { cut: cut === ownCut.value ? '' : cut, focus: '', among: '' }
  if (view === 'topic') return href('topics', null, at)
  return href(view, of, view === 'search' ? { ...at, q: params.q ?? '' } : at)
}

/** The topic that the view is of; −1: of none. */
function topicShown(): number {
  const { view, of } = route.value
  return view === 'topic' && of !== null && head.value!.topics[Number(of)] ? Number(of) : -1
}

/** Go to the topic of another cut that has most documents of this one. */
async function follow(topic: number, cut: number): Promise<void> {
  if (cut === head.value!.topics.length) return
  const [from, to] = await Promise.all([
    points.value.value ?? sourceAt(head.value!.topics.length).points(),
    sourceAt(cut).points(),
  ])
  const heir = heirOf(from.topic, to.topic, topic)
  const at = { cut: cut === ownCut.value ? '' : cut, focus: '', among: '' }
  go(heir === undefined ? href('topics', null, at) : href('topic', heir, at))
}
