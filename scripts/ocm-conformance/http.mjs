import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';

const LONGEST_MS = 30_000;
const LONGEST_ANSWER = 1_048_576;

/**
 * One request without redirects.
 *
 * @param {string} url
 * @param {{method?: string, headers?: Record<string, string>, body?: string}} options
 * @returns {Promise<{status: number, headers: Record<string, string>, text: string, json: unknown}>} `json` is undefined
 *   if the body is not JSON
 * @throws {Error} if no answer came in time
 */
export function ask(url, { method = 'GET', headers = {}, body } = {}) {
  const send = url.startsWith('https:') ? secureRequest : plainRequest;
  return new Promise((answered, failed) => {
    const request = send(url, { method, headers, timeout: LONGEST_MS }, (response) => {
      const parts = [];
      let size = 0;
      response.on('data', (part) => {
        size += part.length;
        if (size > LONGEST_ANSWER) request.destroy(new Error(`the answer of ${url} is too long`));
        parts.push(part);
      });
      response.on('error', failed);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        answered({ status: response.statusCode, headers: response.headers, text, json: parsed(text) });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`${url} did not answer in time`)));
    request.on('error', failed);
    request.end(body);
  });
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Status line and beginning of the body, for a report. */
export const shown = ({ status, text }) => `${status} ${text.slice(0, 160).replaceAll(/\s+/g, ' ')}`.trim();

export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const isText = (value) => typeof value === 'string' && value !== '';
export const isJson = ({ headers }) => /^application\/json\b/i.test(headers['content-type'] ?? '');
