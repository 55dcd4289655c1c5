export interface DiagramColors {
  bg: string
  fg: string
  line: string
  accent: string
  muted: string
  surface: string
  border: string
}
