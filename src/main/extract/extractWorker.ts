import { parentPort, workerData } from 'node:worker_threads'
import { checkContentKind } from './contentKind.ts'
import { UnreadableError, type DocumentJob, type Extracted, type Unreadable } from './documentJob.ts'

// Entry of the document worker, which reads one document (extractDocument.ts).

/** Loads the library of a format on demand. */
async function extract({ format, content, pages }: DocumentJob): Promise<Extracted> {
  switch (format) {
    case 'pdf':
      return (await import('./pdf.ts')).extractPdf(content, pages)
    case 'docx':
      return (await import('./docx.ts')).extractDocx(content)
    case 'xlsx':
      return (await import('./xlsx.ts')).extractXlsx(content)
    case 'pptx':
      return (await import('./pptx.ts')).extractPptx(content, pages)
    case 'odt':
      return (await import('./odf.ts')).extractOdt(content)
    case 'ods':
      return (await import('./odf.ts')).extractOds(content)
    case 'odp':
      return (await import('./odf.ts')).extractOdp(content, pages)
    case 'rtf':
      return (await import('./rtf.ts')).extractRtf(content)
    case 'epub':
      return (await import('./epub.ts')).extractEpub(content, pages)
    case 'csv':
      return (await import('./csv.ts')).extractCsv(content, [',', ';', '\t'])
    case 'tsv':
      return (await import('./csv.ts')).extractCsv(content, ['\t'])
    case 'ipynb':
      return (await import('./notebook.ts')).extractNotebook(content)
  }
}

async function runJob(job: DocumentJob): Promise<Extracted | Unreadable> {
  try {
    checkContentKind(job.format, job.content)
    return await extract(job)
  } catch (error) {
    if (error instanceof UnreadableError) return error.failure
    throw error
  }
}

// Only extractDocument.ts starts this file, with a job as data.
parentPort?.postMessage(await runJob(workerData as DocumentJob))
