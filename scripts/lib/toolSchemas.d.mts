import type { Plugin } from 'vite'

export function toolSchemas(): Plugin
