import { request } from '../platform/bridge/bridge.ts'
import { createSearch } from './searchStore.ts'

export const search = createSearch(request)
