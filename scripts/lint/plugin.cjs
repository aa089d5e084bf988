/** The lint rules of this project, for both linters. */
module.exports = {
  meta: { name: 'drawbridge' },
  rules: { 'plain-comments': require('./plain-comments.cjs') },
};
