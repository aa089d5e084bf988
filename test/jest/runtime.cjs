const { default: Runtime } = require('jest-runtime');
const { isBuiltin } = require('node:module');
const { dirname, relative, resolve } = require('node:path');

const ROOT = resolve(__dirname, '../..');
const PRODUCT = /^(?:apps|libs\/(?!testing\/))/;
const ALIAS = /^#(?!testing$)/;

const isPackage = (name) => !/^[./#]/.test(name) && !isBuiltin(name);
const isProduct = (name, from) =>
  ALIAS.test(name) || (/^[./]/.test(name) && PRODUCT.test(relative(ROOT, resolve(dirname(from), name))));

let shared;

/**
 * Loads packages and the product once per worker instead of once per spec file, because they take most of the loading
 * time. The product may run as several instances in one process, so its modules keep no state of an instance. Specs and
 * their helpers are loaded again for each spec file.
 */
module.exports = class SharingRuntime extends Runtime {
  constructor(config, environment, resolver, transformer, ...others) {
    super(config, environment, resolver, transformer, ...others);
    shared ??= new Runtime(config, environment, resolver, transformer, ...others);
  }

  requireModuleOrMock(from, name) {
    if (name === undefined || name.startsWith('@jest/') || name === 'expect')
      return super.requireModuleOrMock(from, name);
    if (!isPackage(name) && !isProduct(name, from)) return super.requireModuleOrMock(from, name);
    if (this.mockState.shouldMockCjs(from, name).shouldMock) return super.requireModuleOrMock(from, name);
    return shared.requireModuleOrMock(from, name);
  }
};
