import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Directory of the built pages: next to the compiled libraries. Tests run from the sources. */
export const clientDirectory = (): string =>
  ['../../../web-client', '../../../dist/web-client']
    .map((path) => join(__dirname, path))
    .find((path) => existsSync(path))!;

/** Programs of pages, by their sources below apps/web/client. */
const ENTRIES = {
  guest: 'src/guest/guest.ts',
  passkey: 'src/guest/passkey.ts',
  launch: 'src/guest/launch.ts',
} as const;
export type ClientEntry = keyof typeof ENTRIES;

/** Addresses of a program below `/web`, such as `assets/guest-1a2b.js`. */
export interface ClientAssets {
  readonly script: string;
  readonly styles: readonly string[];
}

interface BuiltFile {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
}
type Manifest = Readonly<Record<string, BuiltFile>>;

let manifest: Manifest | undefined;

/** The files of a program, with the names from the build. */
export function clientAssets(entry: ClientEntry): ClientAssets {
  manifest ??= JSON.parse(readFileSync(join(clientDirectory(), '.vite/manifest.json'), 'utf8')) as Manifest;
  const source = ENTRIES[entry];
  return { script: manifest[source]!.file, styles: stylesOf(manifest, source) };
}

function stylesOf(built: Manifest, source: string): string[] {
  const { css = [], imports = [] } = built[source]!;
  return [...new Set([...imports.flatMap((imported) => stylesOf(built, imported)), ...css])];
}
