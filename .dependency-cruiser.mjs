/** Who may import whom: the table of the architecture, one rule a row. Tests beside the code are exempt. */
const TEST = '\\.test\\.ts$'
const own = (name) => `^services/${name}/`
const CORE = '^services/npamp/(?!transports/(?!contract\\.ts)|sdk/|crypto/node/)'
const NPAMP_NODE = '^services/npamp/(transports|sdk|crypto/node)/'

/** `from` may import from the local packages in `allowed` (patterns) and itself. */
const onlyLocal = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: TEST },
  to: { path: '^(services|operator|test)/', pathNot: [from, ...allowed] },
})

/** Only these npm packages (and, where `node` is true, Node itself). */
const onlyNpm = (name, from, packages, node) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: TEST },
  to: {
    dependencyTypes: [
      'npm',
      'npm-dev',
      'npm-optional',
      'npm-peer',
      'npm-no-pkg',
      'npm-unknown',
      ...(node ? [] : ['core']),
    ],
    pathNot: packages.map((one) => `node_modules/${one}(/|$)`),
  },
})

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-test-code-in-the-product',
      severity: 'error',
      from: { path: '^(services|operator)/', pathNot: TEST },
      to: { path: `^test/|${TEST}` },
    },
    onlyLocal('npamp-core', CORE, []),
    onlyNpm('npamp-core-packages', CORE, ['@noble'], false),
    onlyLocal('npamp-node', NPAMP_NODE, ['^services/npamp/']),
    onlyNpm('npamp-node-packages', NPAMP_NODE, ['@noble', '@peculiar/x509', 'reflect-metadata'], true),
    onlyLocal('mesh-api', own('mesh-api'), []),
    onlyLocal('telemetry', own('telemetry'), []),
    onlyLocal('rpc', own('rpc'), []),
    onlyLocal('kube', own('kube'), []),
    onlyLocal('relay', own('relay'), [own('npamp'), own('telemetry'), own('mesh-api'), own('rpc')]),
    onlyLocal('control-plane', own('control-plane'), [
      own('mesh-api'),
      own('rpc'),
      own('kube'),
      own('telemetry'),
      own('npamp'),
    ]),
    onlyLocal('control-plane-ir', '^services/control-plane/ir/', []),
    {
      name: 'translate-knows-no-source',
      severity: 'error',
      from: { path: '^services/control-plane/translate/', pathNot: TEST },
      to: { path: '^services/control-plane/sources/' },
    },
    onlyLocal('operator', '^operator/', [own('mesh-api'), own('kube'), own('telemetry'), own('npamp')]),
    onlyLocal('cli', own('cli'), [
      own('npamp'),
      own('telemetry'),
      own('mesh-api'),
      own('rpc'),
      own('kube'),
      '^operator/index\\.ts$',
      '^services/(relay|control-plane)/index\\.ts$',
      '^services/connect/index\\.mjs$',
    ]),
    onlyLocal('connect', own('connect'), []),
    onlyNpm('connect-packages', own('connect'), [], true),
    {
      name: 'packages-by-their-entries',
      comment: 'another package is imported by what its package.json exports, never by a path into it',
      severity: 'error',
      from: { path: '^(?:services/)?([^/]+)/', pathNot: `^test/|^examples/|${TEST}` },
      to: {
        path: '^(services|operator)/',
        pathNot: [
          '^(services/)?$1/',
          '^operator/index\\.ts$',
          '^services/[^/]+/index\\.(ts|mjs)$',
          '^services/npamp/(crypto/node|sdk|transports)/index\\.ts$',
        ],
      },
    },
    {
      name: 'adapter-uses-the-public-entry-only',
      severity: 'error',
      from: { path: '^test/conformance/adapter\\.ts$' },
      to: { path: '^(services|test)/', pathNot: '^services/npamp/index\\.ts$' },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
