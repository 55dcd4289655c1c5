; Tables and keys; how deep and how many stands in languages.ts.
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.property
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.property
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.property
