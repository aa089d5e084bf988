import type { Instance } from './instance';
import { keptPasswordFile } from './first-administrator';

/** The last lines of a start: where it listens, how to sign in, and one command to try. */
export function welcome({ app, administrator, dataDirectory }: Instance): string {
  const { uid, shownOnce } = administrator;
  const file = keptPasswordFile(dataDirectory);
  const password =
    shownOnce !== undefined
      ? `${shownOnce}   (shown once; kept in ${file ?? dataDirectory} until it is changed)`
      : file !== undefined
        ? `kept in ${file}`
        : 'the one you chose';
  const credentials = file === undefined ? uid : `${uid}:$(cat ${quote(file)})`;
  return [
    '',
    `Drawbridge listens on ${app.url}`,
    `  user:     ${uid}`,
    `  password: ${password}`,
    `  try:      curl -u "${credentials}" "${app.url}/ocs/v2.php/cloud/user?format=json"`,
    '',
  ].join('\n');
}

const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
