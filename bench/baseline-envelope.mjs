// The envelope of the baseline: the same bytes as the gateway's, written in the shortest way.

/** @param {unknown} data records, one record, or an empty list @param {string | null} message */
export function envelopeJson(data, message = null) {
  const meta = { status: 'ok', statuscode: 200, message, totalitems: '', itemsperpage: '' };
  return JSON.stringify({ ocs: { meta, data } }).replaceAll('/', '\\/');
}

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => (/[&<>"]/.test(text) ? text.replace(/[&<>"]/g, (sign) => ENTITIES[sign]) : text);

function fields(value, indent) {
  let text = '';
  for (const key in value) {
    const field = value[key];
    if (field === undefined) continue;
    text += field === null ? `${indent}<${key}/>\n` : `${indent}<${key}>${escape(String(field))}</${key}>\n`;
  }
  return text;
}

function body(data) {
  if (!Array.isArray(data)) return ` <data>\n${fields(data, '  ')} </data>\n`;
  if (data.length === 0) return ' <data/>\n';
  return ` <data>\n${data.map((item) => `  <element>\n${fields(item, '   ')}  </element>\n`).join('')} </data>\n`;
}

/** @param {unknown} data records, one record, or an empty list */
export function envelopeXml(data) {
  return `<?xml version="1.0"?>
<ocs>
 <meta>
  <status>ok</status>
  <statuscode>200</statuscode>
  <message/>
  <totalitems></totalitems>
  <itemsperpage></itemsperpage>
 </meta>
${body(data)}</ocs>
`;
}
