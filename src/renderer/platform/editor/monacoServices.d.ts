// Monaco exports its services without types.
declare module 'monaco-editor/platform/configuration/common/configuration' {
  interface ConfigurationService {
    updateValue(key: string, value: unknown): Promise<void>
  }
  export const IConfigurationService: { service: ConfigurationService }
}
declare module 'monaco-editor/editor/standalone/browser/standaloneServices' {
  export const StandaloneServices: { get<T>(id: { service: T }): T }
}
declare module 'monaco-editor/platform/contextview/browser/contextView' {
  interface ContextViewService {
    /** @param container default: the active editor, in which the view is clipped */
    showContextView(delegate: object, container?: HTMLElement, ...rest: unknown[]): unknown
  }
  export const IContextViewService: { service: ContextViewService }
}
declare module 'monaco-editor/platform/storage/common/storage' {
  interface StorageService {
    store(key: string, value: string, scope: number, target: number): void
  }
  export const IStorageService: { service: StorageService }
}
