import type { monaco } from './monaco/monaco.ts'

type Editor = monaco.editor.IStandaloneCodeEditor

/** An interactive element between two lines: a view zone that makes room, and an overlay widget above it. */
export interface ZoneWidget {
  /** The widget's content element. */
  readonly node: HTMLElement
  dispose(): void
}

let nextWidget = 1
const maxWidth = 760

/** Creates the widget. Its height follows its content. @param className class of the content element */
export function createZoneWidget(editor: Editor, afterLine: number, className: string): ZoneWidget {
  const node = document.createElement('div')
  node.className = className
  const id = `tizona.zone.${nextWidget++}`
  const widget: monaco.editor.IOverlayWidget = { getId: () => id, getDomNode: () => node, getPosition: () => null }
  editor.addOverlayWidget(widget)

  const zone: monaco.editor.IViewZone = {
    afterLineNumber: afterLine,
    heightInPx: 0,
    domNode: document.createElement('div'),
    // Above the added lines of a hunk at the same position.
    ordinal: 1,
    showInHiddenAreas: true,
    onDomNodeTop: (top) => {
      node.style.top = `${top}px`
    },
  }
  let zoneId = ''
  editor.changeViewZones((accessor) => {
    zoneId = accessor.addZone(zone)
  })
  const layout = (): void => {
    const { contentLeft, contentWidth, minimap, verticalScrollbarWidth } = editor.getLayoutInfo()
    const free = contentWidth - verticalScrollbarWidth - (minimap.minimapWidth > 0 ? 8 : 0)
    node.style.left = `${contentLeft}px`
    node.style.width = `${Math.max(220, Math.min(maxWidth, free - 16))}px`
  }
  const resize = (): void => {
    const height = Math.ceil(node.getBoundingClientRect().height)
    if (height === zone.heightInPx) return
    const shown = zone.heightInPx !== 0
    zone.heightInPx = height
    editor.changeViewZones((accessor) => accessor.layoutZone(zoneId))
    if (!shown) reveal()
  }
  /** Scrolls up if the element is above the visible part. */
  const reveal = (): void => {
    const top = Number.parseFloat(node.style.top)
    if (top < 0) editor.setScrollTop(editor.getScrollTop() + top)
  }
  const observer = new ResizeObserver(resize)
  observer.observe(node)
  const subscription = editor.onDidLayoutChange(layout)
  layout()
  return {
    node,
    dispose() {
      observer.disconnect()
      subscription.dispose()
      editor.removeOverlayWidget(widget)
      editor.changeViewZones((accessor) => accessor.removeZone(zoneId))
    },
  }
}
