import { createHash } from 'node:crypto';

/** The last `/` of a path and everything after it. */
export function lastPartOf(path: string): string {
  return path.slice(Math.max(0, path.lastIndexOf('/')));
}

/** `/a/b` → `/a`, `/a/b`. */
export function prefixesOf(path: string): string[] {
  const prefixes: string[] = [];
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1))
    prefixes.push(path.slice(0, end));
  if (path !== '') prefixes.push(path);
  return prefixes;
}

/** The hash of a path in generated columns, in a form that Postgres reads as uuid. */
export function md5(path: string): string {
  return createHash('md5').update(path).digest('hex');
}
