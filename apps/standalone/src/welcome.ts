import type { WholeInstance } from './instance';
import { keptPasswordFile } from './first-administrator';

/** The last lines of a start: its address, the page to open, how to sign in, and one command to try. */
export function welcome({ app, administratorUid: uid, dataDirectory }: WholeInstance): string {
  const file = keptPasswordFile(dataDirectory);
  const password = file === undefined ? 'the one you chose' : `in ${file}, until it is changed`;
  const credentials = file === undefined ? uid : `${uid}:$(cat ${quote(file)})`;
  return [
    '',
    `Drawbridge listens on ${app.url}`,
    `  open:     ${app.url}/`,
    `  user:     ${uid}`,
    `  password: ${password}`,
    `  try:      curl -u "${credentials}" "${app.url}/ocs/v2.php/cloud/user?format=json"`,
    '',
  ].join('\n');
}

const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
