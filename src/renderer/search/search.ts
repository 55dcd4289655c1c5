import { request } from '../bridge.ts'
import { createSearch } from './store.ts'

export const search = createSearch(request)
