import type { WireReply } from './capture';

/** One place in a recorded body: a map entry, or a list item (then the last part of the path is `element`). */
export interface Place {
  /** Keys from below `ocs.data` downwards, such as `capabilities`, `dav`, `trashbin`. */
  readonly path: readonly string[];
  /** The text of a direct child, as in XML; undefined if there is none. */
  child(name: string): string | undefined;
}

/** The recorded reply without the dropped places, in the form of the recorded server. */
export function without(reply: WireReply, dropped: (place: Place) => boolean): WireReply {
  const body = reply.body.startsWith('<') ? prunedXml(reply.body, dropped) : prunedJson(reply.body, dropped);
  return { ...reply, body };
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

function prunedJson(body: string, dropped: (place: Place) => boolean): string {
  const prune = (value: Json, path: readonly string[]): Json => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) {
      const below = [...path, 'element'];
      return value.filter((item) => !dropped(jsonPlace(below, item))).map((item) => prune(item, below));
    }
    const kept = Object.entries(value).filter(([key, item]) => !dropped(jsonPlace([...path, key], item)));
    return kept.length === 0
      ? []
      : Object.fromEntries(kept.map(([key, item]) => [key, prune(item, [...path, key])]));
  };
  const { ocs } = JSON.parse(body) as { ocs: { meta: Json; data: Json } };
  return phpJson({ ocs: { meta: ocs.meta, data: prune(ocs.data, []) } });
}

function jsonPlace(path: readonly string[], value: Json): Place {
  return {
    path,
    child: (name) => {
      if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
      const item = value[name];
      return item === undefined || item === null || typeof item === 'object' ? undefined : String(item);
    },
  };
}

function phpJson(value: Json): string {
  return JSON.stringify(value).replace(/[/\u007f-\uffff]/g, (sign) =>
    sign === '/' ? '\\/' : `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Relies on the form of the recorded servers: one element per line, one space of indentation for each level. */
function prunedXml(body: string, dropped: (place: Place) => boolean): string {
  const lines = body.split('\n');
  const start = lines.indexOf(' <data>');
  if (start === -1) return body;
  const kept = lines.slice(0, start + 1);
  const path: string[] = [];
  for (let at = start + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const name = /^ *<([^/>]+)\/?>/.exec(line)?.[1];
    path.length = Math.max(0, line.search(/\S/) - 2);
    if (name !== undefined) {
      path.push(name);
      const end = endOfElement(lines, at, name);
      if (dropped(xmlPlace([...path], lines.slice(at, end + 1)))) {
        at = end;
        continue;
      }
    }
    append(kept, line);
  }
  return kept.join('\n');
}

function endOfElement(lines: readonly string[], at: number, name: string): number {
  const line = lines[at] ?? '';
  if (line.endsWith('/>') || line.endsWith(`</${name}>`)) return at;
  const closing = `${' '.repeat(line.search(/\S/))}</${name}>`;
  return lines.indexOf(closing, at);
}

/** An element whose last child was removed is written `<x/>`. */
function append(kept: string[], line: string): void {
  const previous = kept.at(-1) ?? '';
  if (line.trimStart().startsWith('</') && previous === line.replace('</', '<')) {
    kept[kept.length - 1] = previous.replace('>', '/>');
  } else {
    kept.push(line);
  }
}

function xmlPlace(path: readonly string[], block: readonly string[]): Place {
  const indent = ' '.repeat((block[0] ?? '').search(/\S/) + 1);
  return {
    path,
    child: (name) => {
      const opening = `${indent}<${name}>`;
      const line = block.find((one) => one.startsWith(opening));
      return line?.slice(opening.length, -`</${name}>`.length);
    },
  };
}
