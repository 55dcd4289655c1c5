// Every entry imports this module first, because V8 flags must be set before any WebAssembly is compiled.
import './code/process/wasmExecArgv.ts'
