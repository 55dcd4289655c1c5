export function directBuiltins(code: string): Promise<string>
