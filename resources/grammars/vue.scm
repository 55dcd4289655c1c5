; Scripts of a component. They are parsed as TypeScript or JavaScript.
(script_element (raw_text) @script)
