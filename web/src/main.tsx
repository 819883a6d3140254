import { render } from 'preact'
import { App } from './App'
import { start } from './store'
import './style.css'
import './print.css'

const place = document.getElementById('app')!
place.textContent = ''
render(<App />, place)
void start()
