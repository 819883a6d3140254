/** Bring what was just chosen into sight, and to those who listen or use the keyboard. */
export function reveal(element: HTMLElement | null): void {
  if (!element) return
  if (!element.hasAttribute('tabindex')) element.tabIndex = -1
  element.focus({ preventScroll: true })
  const { top, bottom } = element.getBoundingClientRect()
  if (top < 60 || bottom > innerHeight / 2) {
    // what follows it is to be seen as well
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    element.scrollIntoView({ block: 'start', behavior: calm ? 'auto' : 'smooth' })
  }
}

/** The same, once what was just asked for is on the page. */
export function revealNext(find: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => reveal(find() ?? null))
}
