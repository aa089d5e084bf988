import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ENTITIES = 'libs/persistence/src/entities';
const ENTITY = /\/\*\* (.+) \*\/\n@Entity\('(\w+)'\)/g;

/** @returns {Map<string, Map<string, string>>} the meaning of each table, by subject */
function meaningsBySubject(root) {
  const subjects = readdirSync(join(root, ENTITIES), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return new Map(
    subjects
      .map(({ name }) => name)
      .sort()
      .map((subject) => [subject, meaningsOf(join(root, ENTITIES, subject))]),
  );
}

function meaningsOf(directory) {
  const sources = readdirSync(directory)
    .sort()
    .map((file) => readFileSync(join(directory, file), 'utf8'));
  const entities = sources.flatMap((source) => [...source.matchAll(ENTITY)]);
  return new Map(entities.map(([, meaning, table]) => [table, meaning]));
}

/**
 * Writes the tables of each subject as a diagram.
 * @param tables of `describeSchema`
 * @returns {string} a page in Markdown
 */
export function drawSchema(tables, root) {
  const parts = [...meaningsBySubject(root)].map(([subject, meanings]) =>
    subjectPart(subject, meanings, tables),
  );
  return `# Schema

The tables by subject, as the migrations make them. Each has an entity below \`${ENTITIES}\`, which says what its
columns mean; [schema.sql](schema.sql) has every index, check, function and trigger. Both pages are written by
\`npm run schema\`.

${parts.join('\n')}`;
}

function subjectPart(subject, meanings, tables) {
  const rows = [...meanings].map(([table, meaning]) => `| \`${table}\` | ${meaning} |`);
  const boxes = [...meanings.keys()].map((table) => box(table, tables.get(table)));
  const arrows = [...meanings.keys()].flatMap((table) => references(table, tables.get(table)));
  const heading = subject[0].toUpperCase() + subject.slice(1);
  return `## ${heading}

| Table | Meaning |
| --- | --- |
${rows.join('\n')}

\`\`\`mermaid
erDiagram
${[...boxes, ...arrows].join('\n')}
\`\`\`
`;
}

function box(table, columns) {
  const lines = columns.map(({ name, type, isKey, refersTo }) => {
    const marks = [isKey ? 'PK' : '', refersTo === null ? '' : 'FK'].filter(Boolean).join(', ');
    return `    ${type.replaceAll(' ', '_')} ${name} ${marks}`.trimEnd();
  });
  return `  ${table} {\n${lines.join('\n')}\n  }`;
}

function references(table, columns) {
  return columns
    .filter(({ refersTo }) => refersTo !== null)
    .map(
      ({ name, refersTo, isRequired }) =>
        `  ${refersTo} ${isRequired ? '||' : '|o'}--o{ ${table} : "${name}"`,
    );
}
