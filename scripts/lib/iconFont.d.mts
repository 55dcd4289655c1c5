import type { Plugin } from 'vite'

export function oneIconFont(): Plugin
