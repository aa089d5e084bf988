const { default: Runtime } = require('jest-runtime');
const { isBuiltin } = require('node:module');

const isPackage = (name) => name !== undefined && !/^[./#]/.test(name) && !isBuiltin(name);

let packages;

/**
 * Loads packages once per worker instead of once per spec file: they are most of what a spec file loads.
 * The project's own modules are loaded anew for each spec file, so that none sees what another left behind.
 */
module.exports = class PackageSharingRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, ...others) {
    super(config, environment, resolver, transformer, ...others);
    packages ??= new Runtime(config, environment, resolver, transformer, ...others);
  }

  requireModuleOrMock(from, name) {
    if (!isPackage(name) || name.startsWith('@jest/') || name === 'expect')
      return super.requireModuleOrMock(from, name);
    if (this.mockState.shouldMockCjs(from, name).shouldMock) return super.requireModuleOrMock(from, name);
    return packages.requireModuleOrMock(from, name);
  }
};
