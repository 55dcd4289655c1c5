// The first import of every entry: it sets V8 flags that must hold before any WebAssembly is compiled.
import './code/process/wasmExecArgv.ts'
