/** Keys that do something wherever one is on the page, but not while one writes. */
import { useEffect } from 'preact/hooks'

const WRITING = /^(INPUT|TEXTAREA|SELECT)$/

/** Do something at a key alone, without Ctrl, Alt or ⌘, where nobody is writing. */
export function useKeys(does: Record<string, () => unknown>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.ctrlKey || event.altKey || event.metaKey || WRITING.test(target.tagName)) return
      if (target.isContentEditable || !Object.hasOwn(does, event.key)) return
      event.preventDefault()
      does[event.key]!()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  })
}
