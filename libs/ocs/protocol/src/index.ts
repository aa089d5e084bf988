export {
  envelopeFrame,
  renderEnvelope,
  type Envelope,
  type EnvelopeFrame,
  type OcsFormat,
  type OcsStyle,
  type RenderedEnvelope,
} from './envelope';
export {
  anything,
  digits,
  integer,
  needed,
  ParameterRefused,
  readInput,
  single,
  switched,
  text,
  texts,
  type InputField,
  type InputFields,
  type InputOf,
  type JsonSchema,
} from './input-fields';
export { jsonText, writeJson } from './json-writer';
export {
  decodeFormText,
  isMap,
  leadingInteger,
  OcsParameters,
  readForm,
  readJsonObject,
  ParametersRefused,
  type ParameterMap,
  type ParameterValue,
} from './parameters';
export { OCS, statusOf, type OcsStatus, type OcsVersion } from './status';
export {
  isRendered,
  isStreamed,
  type OcsData,
  type OcsValue,
  type RenderedData,
  type StreamedData,
} from './value';
export { writeXml, xmlText } from './xml-writer';
