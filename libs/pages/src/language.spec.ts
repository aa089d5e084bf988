import { languageOf } from './language';

describe('the language of a page', () => {
  it.each([
    ['de-DE,de;q=0.9,en;q=0.8', 'de'],
    ['fr, de;q=0.5, en;q=0.4', 'de'],
    ['en-GB', 'en'],
    ['fr', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('for %j is %s', (header, language) => {
    expect(languageOf({ 'accept-language': header })).toBe(language);
  });
});
