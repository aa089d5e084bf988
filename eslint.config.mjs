// The pages, whose types come from browsers. All other programs: .oxlintrc.json.
import js from '@eslint/js';
import vue from 'eslint-plugin-vue';
import typescript from 'typescript-eslint';
import drawbridge from './scripts/lint/plugin.cjs';

export default typescript.config({
  files: ['apps/web/client/**/*.{ts,mts,vue}'],
  plugins: { drawbridge },
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
    'drawbridge/plain-comments': 'error',
    'max-lines': ['error', { max: 300 }],
    'max-lines-per-function': ['error', { max: 60 }],
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
});
