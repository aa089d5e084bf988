import js from '@eslint/js';
import vue from 'eslint-plugin-vue';
import typescript from 'typescript-eslint';
import plainComments from './scripts/lint/plain-comments.cjs';

const SIZE = {
  'max-lines': ['error', { max: 300 }],
  'max-lines-per-function': ['error', { max: 60 }],
};

const NODE_GLOBALS = Object.fromEntries(
  [
    ...['process', 'Buffer', 'URL', 'URLSearchParams', 'fetch', 'performance', 'console', 'structuredClone'],
    ...['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'queueMicrotask'],
    ...[
      'AbortController',
      'AbortSignal',
      'TextEncoder',
      'TextDecoder',
      'Blob',
      'FormData',
      'Headers',
      'Response',
      'globalThis',
    ],
  ].map((name) => [name, 'readonly']),
);

/** Import rule 2: configuration has one reader. */
const ENVIRONMENT = {
  object: 'process',
  property: 'env',
  message: 'Only libs/platform reads the environment: take the value from the configuration table.',
};

/**
 * Contents can be read only with a permit from the rule for access to nodes. Operators' commands, the joining of pieces, deliveries and the scan
 * use other permits.
 */
const UNCHECKED_PERMITS = {
  name: '#sharing',
  importNames: ['OPERATOR_PERMIT', 'SCANNER_PERMIT', 'UPLOAD_PERMIT'],
  message: 'Request handlers read contents by the access of the visible node only.',
};

/** Specs of a worker share the modules of the product (ADR 0271). */
const NO_MOCKED_MODULES = ['mock', 'doMock'].map((property) => ({
  object: 'jest',
  property,
  message: 'It does not reach modules of the product: pass a fake, or use jest.spyOn.',
}));

export default typescript.config(
  { ignores: ['dist/', 'data/', 'node_modules/', 'coverage/', 'test/conformance/', 'test/fixtures/'] },
  {
    files: ['**/*.{ts,mts,vue,mjs,cjs}'],
    plugins: { drawbridge: { rules: { 'plain-comments': plainComments } } },
    rules: { 'drawbridge/plain-comments': 'error' },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    extends: [js.configs.recommended],
    languageOptions: { globals: NODE_GLOBALS },
    rules: SIZE,
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { require: 'readonly', module: 'writable', __dirname: 'readonly' },
    },
  },
  // The pages: their types come from browsers.
  {
    files: ['apps/web/client/**/*.{ts,mts,vue}'],
    extends: [
      js.configs.recommended,
      ...typescript.configs.recommendedTypeChecked,
      ...vue.configs['flat/recommended'],
    ],
    languageOptions: {
      parserOptions: {
        parser: typescript.parser,
        project: './apps/web/client/tsconfig.json',
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.vue'],
      },
    },
    rules: {
      ...SIZE,
      'no-undef': 'off',
      // The formatter decides how templates are broken into lines.
      'vue/html-indent': 'off',
      'vue/html-closing-bracket-newline': 'off',
      'vue/html-self-closing': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/multiline-html-element-content-newline': 'off',
      'vue/no-v-html': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['apps/web/client/**'],
    extends: [js.configs.recommended, ...typescript.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      ...SIZE,
      'no-restricted-properties': ['error', ENVIRONMENT],
      'no-restricted-imports': ['error', { paths: [UNCHECKED_PERMITS] }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      // The author of a template controls how it writes a number.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // An interface may return a promise even if one implementation does not wait for anything.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    files: [
      'apps/cli/**/*.ts',
      'libs/storage/src/{uploads/pieces,scanning/*,mounted/partner-writes,mounted/write-delivery}.ts',
    ],
    rules: { 'no-restricted-imports': 'off' },
  },
  { files: ['libs/platform/**/*.ts'], rules: { 'no-restricted-properties': 'off' } },
  {
    files: ['**/*.spec.ts', 'test/**', 'libs/testing/**'],
    rules: {
      'no-restricted-properties': ['error', ...NO_MOCKED_MODULES],
      'no-restricted-imports': 'off',
      // A describe block is a chapter, not a function; the length of a table of cases depends on the rules.
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 500 }],
      // Tests read JSON of replies without types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
