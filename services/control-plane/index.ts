/** The control plane as other programs of this repository use it: without Kubernetes, in their own process. */
export { Standalone, type StandaloneOptions } from './replica/standalone.ts'
export { type FilesSource, type FilesSourceOptions, openFilesSource } from './sources/files/files-source.ts'
