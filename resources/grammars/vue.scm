; The scripts of a component; they are read as TypeScript or JavaScript.
(script_element (raw_text) @script)
