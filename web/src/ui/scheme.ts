/** Whether the page is dark now, for what computes colours itself. */
import { signal } from '@preact/signals'
import { theme } from '../store'

const query = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)')
const system = signal(query?.matches ?? false)
query?.addEventListener('change', (event) => {
  system.value = event.matches
})

export const systemIsDark = (): boolean => system.value
export const isDark = (): boolean => (theme.value ? theme.value === 'dark' : system.value)
