import { csvTable } from './csvRows.ts'

// Parses tables in a worker, because a large one takes seconds.
self.onmessage = ({ data }: MessageEvent<string>) => self.postMessage(csvTable(data))
