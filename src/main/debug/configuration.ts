/** Attributes of a configuration, as in launch.json. */
export type Configuration = Readonly<Record<string, unknown>>
