import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../libs/testing/src';

/** Paths of sources that a page names between backticks. */
function pathsIn(page: string): string[] {
  const text = readFileSync(join(REPOSITORY, page), 'utf8');
  return [...text.matchAll(/`((?:apps\/[\w-]+\/src|libs|test|scripts|docs)\/[\w./-]+)`/g)].map(
    (match) => match[1]!,
  );
}

/** Names of the directories that hold a source directory, as the page about the architecture lists them. */
function sourceRootsBelow(directory: string): string[] {
  return readdirSync(join(REPOSITORY, directory), { recursive: true, encoding: 'utf8' })
    .filter((entry) => /^[^/]+(\/[^/]+)?\/src$/.test(entry))
    .map((entry) => entry.replace(/\/src$/, ''));
}

/** Sections such as `ocs-facts 4` that comments of the product cite. */
function citedSections(): string[] {
  const sources = ['apps', 'libs'].flatMap((directory) =>
    readdirSync(join(REPOSITORY, directory), { recursive: true, encoding: 'utf8' })
      .filter((entry) => entry.endsWith('.ts'))
      .map((entry) => readFileSync(join(REPOSITORY, directory, entry), 'utf8')),
  );
  const cited = sources.flatMap((text) => [
    ...text.matchAll(/\b(ocs-facts|federation-facts|reference\/[a-z-]+) (\d+)(?: and (\d+))?/g),
  ]);
  return [
    ...new Set(
      cited.flatMap(([, page, ...numbers]) => numbers.filter(Boolean).map((number) => `${page} ${number}`)),
    ),
  ];
}

const sectionsOf = (page: string): string[] =>
  [...readFileSync(join(REPOSITORY, `docs/protocol/${page}.md`), 'utf8').matchAll(/^## (\d+)\. /gm)].map(
    ([, number]) => `${page} ${number}`,
  );

describe('pages about the code', () => {
  it('have each section that a comment cites', () => {
    const sections = [...sectionsOf('ocs-facts'), ...sectionsOf('federation-facts')];
    const cited = citedSections();
    expect(cited.length).toBeGreaterThan(20);
    expect(cited.filter((section) => !sections.includes(section))).toEqual([]);
  });

  it.each(['docs/architecture.md', 'CONTRIBUTING.md', 'SECURITY.md'])(
    'name only paths that exist: %s',
    (page) => {
      const paths = pathsIn(page);
      expect(paths.length).toBeGreaterThan(5);
      expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([]);
    },
  );

  it.each(['apps', 'libs'])('docs/architecture.md describes each of the %s', (directory) => {
    const page = readFileSync(join(REPOSITORY, 'docs/architecture.md'), 'utf8');
    const described = sourceRootsBelow(directory).filter((name) => page.includes(`| \`${name}\``));
    expect(described).toEqual(sourceRootsBelow(directory));
  });
});
