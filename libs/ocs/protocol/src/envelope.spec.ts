import { renderEnvelope, type Envelope } from './envelope';

const SUCCESS: Envelope = { style: 'app', code: 100, message: null, data: [] };

describe('the envelope', () => {
  it('is written in XML, byte by byte', () => {
    expect(renderEnvelope(SUCCESS, 1, 'xml')).toEqual({
      httpStatus: 200,
      contentType: 'application/xml; charset=utf-8',
      body: `<?xml version="1.0"?>
<ocs>
 <meta>
  <status>ok</status>
  <statuscode>100</statuscode>
  <message/>
  <totalitems></totalitems>
  <itemsperpage></itemsperpage>
 </meta>
 <data/>
</ocs>
`,
    });
  });

  it('is written in JSON, byte by byte', () => {
    expect(renderEnvelope(SUCCESS, 2, 'json')).toEqual({
      httpStatus: 200,
      contentType: 'application/json; charset=utf-8',
      body: '{"ocs":{"meta":{"status":"ok","statuscode":200,"message":null,"totalitems":"","itemsperpage":""},"data":[]}}',
    });
  });

  it('has no paging and another content type on legacy routes', () => {
    const failure: Envelope = { style: 'legacy', code: 998, message: '', data: null };
    expect(renderEnvelope(failure, 1, 'json').body).toBe(
      '{"ocs":{"meta":{"status":"failure","statuscode":998,"message":""},"data":[]}}',
    );
    const xml = renderEnvelope(failure, 2, 'xml');
    expect([xml.httpStatus, xml.contentType]).toEqual([404, 'text/xml; charset=UTF-8']);
    expect(xml.body).toContain('<message></message>\n </meta>\n <data/>\n');
  });

  it('escapes a message in both formats', () => {
    const envelope: Envelope = { ...SUCCESS, code: 404, message: 'no <such> "path" & more' };
    expect(renderEnvelope(envelope, 1, 'xml').body).toContain(
      '<message>no &lt;such&gt; &quot;path&quot; &amp; more</message>',
    );
    expect(JSON.parse(renderEnvelope(envelope, 1, 'json').body).ocs.meta.message).toBe(
      'no <such> "path" & more',
    );
  });

  it('accepts data that is already rendered', () => {
    const data = { toJson: () => '{"a":1}', toXml: () => ' <data>\n  <a>1</a>\n </data>\n' };
    expect(renderEnvelope({ ...SUCCESS, data }, 1, 'json').body).toContain('"data":{"a":1}}}');
    expect(renderEnvelope({ ...SUCCESS, data }, 1, 'xml').body).toContain(
      ' </meta>\n <data>\n  <a>1</a>\n </data>\n</ocs>\n',
    );
  });
});
