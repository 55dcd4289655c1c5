import { Icon, Spinner } from '../ui/index.ts'

export function TestRunning({ text }: { text: string }) {
  return (
    <p className="endpoint-test" role="status">
      <Spinner label="Testing" /> {text}
    </p>
  )
}

export function TestFailed({ message }: { message: string }) {
  return (
    <p className="endpoint-test endpoint-test-bad" role="alert">
      <Icon name="error" /> {message}
    </p>
  )
}
