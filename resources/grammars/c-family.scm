; Shared by C and C++. Prototypes are not definitions.
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.struct
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (_) @name) @definition.enum_member
; The grammar reports an error for an enum member without a value before a preprocessor line.
(enumerator_list (ERROR . (identifier) @name .) @definition.enum_member . [(preproc_call) (preproc_if) (preproc_ifdef)])
(field_declaration declarator: (field_identifier) @name) @definition.property
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @definition.property
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))) @definition.property
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @definition.property
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @definition.property
(type_definition declarator: [(type_identifier) (primitive_type)] @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(preproc_def name: (_) @name) @definition.constant
(preproc_function_def name: (_) @name) @definition.function
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (function_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (type_identifier) @name))) @definition.type
; Declarators can nest at any depth. In deeper ones, the innermost declarator is matched.
(pointer_declarator declarator: (field_identifier) @name) @definition.property
(array_declarator declarator: (field_identifier) @name) @definition.property
(pointer_declarator declarator: (type_identifier) @name) @definition.type
(array_declarator declarator: (type_identifier) @name) @definition.type
(function_declarator declarator: (type_identifier) @name) @definition.type

; File-level variables, also inside preprocessor conditions. extractSymbols.ts omits those inside functions.
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.variable)
(translation_unit (declaration declarator: (identifier) @name) @definition.variable)
(translation_unit (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @definition.variable)
(translation_unit (declaration declarator: (array_declarator declarator: (identifier) @name)) @definition.variable)
(translation_unit (declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.variable)
(preproc_ifdef (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_ifdef (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_ifdef (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_ifdef (declaration declarator: (identifier) @name) @definition.variable)
(preproc_ifdef (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_ifdef (declaration declarator: (array_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_ifdef (declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.variable)
(preproc_if (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_if (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_if (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_if (declaration declarator: (identifier) @name) @definition.variable)
(preproc_if (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_if (declaration declarator: (array_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_if (declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.variable)
(preproc_else (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_else (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_else (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_else (declaration declarator: (identifier) @name) @definition.variable)
(preproc_else (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_else (declaration declarator: (array_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_else (declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.variable)
(preproc_elif (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_elif (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_elif (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.variable)
(preproc_elif (declaration declarator: (identifier) @name) @definition.variable)
(preproc_elif (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_elif (declaration declarator: (array_declarator declarator: (identifier) @name)) @definition.variable)
(preproc_elif (declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.variable)
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name)) @definition.variable)
(declaration_list (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @definition.variable)
(declaration_list (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @definition.variable)
(declaration_list (declaration declarator: (identifier) @name) @definition.variable)
(declaration_list (declaration declarator: (pointer_declarator declarator: (identifier) @name)) @definition.variable)
(declaration_list (declaration declarator: (array_declarator declarator: (identifier) @name)) @definition.variable)
(declaration_list (declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @definition.variable)

; Local names
(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @local))
(declaration declarator: (identifier) @local)
(declaration declarator: (pointer_declarator declarator: (identifier) @local))
(init_declarator declarator: (identifier) @local)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @local))
[(function_definition) (compound_statement) (for_statement)] @scope

; References
(call_expression function: (identifier) @name) @reference.call
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @name)) @reference.call
(type_identifier) @name @reference.usage
(argument_list (identifier) @name @reference.usage)
(preproc_include path: (_) @import.source @import.all)
